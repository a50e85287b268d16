"""The page: a person's way to pick a character, talk to it and see why it answers as it does.

Takes: an application of ``server``.  Gives: it with pages at ``/``; ``mounting.mount_page`` puts
them there. It needs the extra ``ui``.
"""
