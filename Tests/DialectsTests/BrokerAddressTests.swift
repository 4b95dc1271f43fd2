import Dialects
import Testing

@Suite struct BrokerAddressTests {
    @Test func `an address has a scheme, an optional user, a host and an optional port`() throws {
        let plain = try #require(BrokerAddress("mqtt://broker"))
        #expect(plain.host == "broker" && plain.port == 1883 && plain.user == nil)
        #expect(!plain.isEncrypted && !plain.isNumeric)
        let full = try #require(BrokerAddress("mqtts://jaga@10.0.0.7:9000/"))
        #expect(full.host == "10.0.0.7" && full.port == 9000 && full.user == "jaga")
        #expect(full.isEncrypted && full.isNumeric)
        #expect(BrokerAddress("mqtts://a")?.port == 8883)
        let six = try #require(BrokerAddress("mqtt://jaga@[::1]:1884"))
        #expect(six.host == "::1" && six.port == 1884 && six.isNumeric)
        #expect(six.description == "mqtt://jaga@[::1]:1884")
    }

    @Test(arguments: [
        "", "broker", "http://broker", "mqtt://", "mqtt://:1883", "mqtt://a:b", "mqtt://a:0",
        "mqtt://a:70000", "mqtt://a:1:2", "mqtt://jaga:password@broker", "mqtt://@broker",
        "mqtt://a/b", "mqtt://[::1]x",
    ])
    func `any other text is rejected, in particular one with a password`(text: String) {
        #expect(BrokerAddress(text) == nil)
    }
}
