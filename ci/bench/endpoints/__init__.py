"""What creating and deleting endpoints costs: ours, a bare script, and the bridge CNI plugin.

Every lane is a process of its own that prints one JSON object; they run in turns, so that the noise of a shared
machine falls on all of them, and ours is judged beside the floor of its turn.
"""
