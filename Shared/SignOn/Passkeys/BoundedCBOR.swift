/// Limits CBOR (RFC 8949) of authenticators before the library reads it.
///
/// libcbor allocates an array or a map by its announced number of elements before it reads any of
/// them: five bytes cost up to 8 s and 32 GiB. Here a number must fit into the rest of the data.
enum BoundedCBOR {
    /// WebAuthn's canonical form has at most four levels.
    private static let depthMax = 4

    /// Whether data is a sequence of complete items of definite length.
    static func isSequence(_ data: ArraySlice<UInt8>) -> Bool {
        var rest = data
        while !rest.isEmpty {
            guard skipItem(&rest, depth: 1) else { return false }
        }
        return true
    }

    private static func skipItem(_ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth <= depthMax, let head = rest.popFirst() else { return false }
        var argument = Int(head & 31)
        switch argument {
        case 0..<24: break
        case 24...26:
            // Four bytes at most, so that the number fits.
            argument = 0
            for _ in 0..<(1 << (Int(head & 31) - 24)) {
                guard let byte = rest.popFirst() else { return false }
                argument = argument << 8 | Int(byte)
            }
        default: return false
        }
        switch head >> 5 {
        case 0, 1: return true
        case 2, 3:
            guard argument <= rest.count else { return false }
            rest.removeFirst(argument)
            return true
        case 4, 5:
            guard argument <= rest.count else { return false }
            for _ in 0..<(head >> 5 == 4 ? argument : 2 * argument) {
                guard skipItem(&rest, depth: depth + 1) else { return false }
            }
            return true
        // A simple value. Tags do not occur.
        case 7: return argument < 24
        default: return false
        }
    }
}
