"""The hands: the only place where rules meet memory."""
