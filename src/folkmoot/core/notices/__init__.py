"""What people are told of without asking: where it goes, which event makes which notice, when it is quiet."""
