"""Causes of Detent's losses, a line each: what a peer's file does otherwise, and what that costs it."""

# Measures that a reason concerns, and its networks; "" for all networks that have no other one.
REASONS = [
]


def of(network, measure):
    """Returns the reason of a loss; "" where none is known."""
    fitting = [(networks, why) for measures, networks, why in REASONS if measure in measures and
               (network in networks or not networks)]
    return next((why for networks, why in fitting if networks), fitting[0][1] if fitting else "")
