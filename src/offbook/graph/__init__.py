"""What the chunks mention becomes a graph in which one person is one node."""
