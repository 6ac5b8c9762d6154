"""The command line: arguments in, one JSON document or words for a person out."""
