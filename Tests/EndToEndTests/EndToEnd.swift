import Testing

/// Real processes need the machine for themselves: of all tests below this one runs at a time.
@Suite(.serialized) enum `The suite` {}
