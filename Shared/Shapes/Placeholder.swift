// Filled in a following step.
