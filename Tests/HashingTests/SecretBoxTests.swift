import Hashing
import Testing

@Suite struct SecretBoxTests {
    private let key = [UInt8](repeating: 7, count: SecretBox.keyBytes)
    private let nonce = [UInt8](repeating: 9, count: SecretBox.nonceBytes)

    @Test(arguments: [0, 1, 15, 1000])
    func `decrypts with the same key only`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = SecretBox.seal(bytes, key: key, nonce: nonce)
        #expect(SecretBox.open(sealed, key: key) == bytes)
        var other = key
        other[31] ^= 1
        #expect(SecretBox.open(sealed, key: other) == nil)
    }

    @Test func `rejects changed or truncated bytes`() {
        let sealed = SecretBox.seal([1, 2, 3], key: key, nonce: nonce)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(SecretBox.open(changed, key: key) == nil)
            #expect(SecretBox.open(Array(sealed[..<index]), key: key) == nil)
        }
    }

    @Test func `agrees with libsodium's format`() {
        // Key, nonce and ciphertext of NaCl's test "secretbox".
        let key = Hex.decode("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")!
        let nonce = Hex.decode("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")!
        let text = Hex.decode(
            "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a"
                + "1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057"
                + "e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040"
                + "e082f937763848645e0705")!
        let sealed = SecretBox.seal(text, key: key, nonce: nonce)
        #expect(
            Hex.encode(sealed[24..<40]) == "f3ffc7703f9400e52a7dfb4b3d3305d9")
    }
}
