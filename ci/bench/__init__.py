"""What the emulator costs, each figure beside a peer of the same run: shares of a noisy machine fall on both alike."""
