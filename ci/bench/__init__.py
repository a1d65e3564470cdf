"""What creating and deleting endpoints costs: ours, a bare script, and the bridge CNI plugin.

Every lane is a process of its own that prints one JSON object; ``__main__`` runs them in turns, so that the
noise of a shared machine falls on all of them, and judges the medians.
"""
