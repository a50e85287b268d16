"""Datasets: one loader a file, from a local folder or file to questions, subjects and labels."""
