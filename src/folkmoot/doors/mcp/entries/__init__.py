"""The entry of a board in the settings of coding clients: what each wants, and how it gets into its file."""
