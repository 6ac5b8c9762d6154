"""What tests need and users may use too: the contract of a store, and a small model that predicts its answers."""
