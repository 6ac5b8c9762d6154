"""The programs that run agents: how each is started, and what is heard in what it prints."""
