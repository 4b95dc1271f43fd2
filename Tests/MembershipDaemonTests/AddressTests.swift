import DirectoryViews
import Model
import Runtime
import Testing

@testable import MembershipCore
@testable import MembershipDaemon

@Suite struct AddressTests {
    @Test func `a phone number has a country code and 7 to 15 digits`() {
        #expect(Channel.sms.rules.address("+60123456789") == "+60123456789")
        #expect(Channel.sms.rules.address("+60 12-345 (6789)") == "+60123456789")
        for text in [
            "60123456789", "0123456789", "+0123456789", "+12345", "+1234567890123456",
            "+6012a45678",
            "", "+", "++60123456789",
        ] {
            #expect(Channel.sms.rules.address(text) == nil, "\(text)")
        }
    }

    @Test func `a mail address has the form that servers accept`() {
        for text in ["anna@example.org", "a.b+c@mail.example.org", "root@localhost", "x@1.de"] {
            #expect(Channel.email.rules.address(text) == text)
        }
        #expect(Channel.email.rules.address(" anna@example.org ") == "anna@example.org")
        for text in [
            "anna", "@example.org", "anna@", "anna@@example.org", "anna@exa mple.org",
            "Anna <anna@example.org>", "anna@example..org", ".anna@example.org", "a@-b.org",
            "anna@example.org\r\nBcc: x@y.z", "änna@example.org",
            String(repeating: "a", count: 65) + "@example.org",
            "a@" + String(repeating: "b", count: 64) + ".org",
        ] {
            #expect(Channel.email.rules.address(text) == nil, "\(text)")
        }
    }

    @Test func `a push endpoint is a web address`() {
        #expect(Channel.push.rules.address("https://push.example.org/abc") != nil)
        for text in ["push.example.org", "https://", "ftp://a/b", "https://a b", "https://a\nb"] {
            #expect(Channel.push.rules.address(text) == nil, "\(text)")
        }
    }

    @Test func `a locale is a language tag`() {
        for text in ["en", "ms", "id-ID", "zh-Hant-TW"] {
            #expect(LanguageTag.normalized(text) == text)
        }
        for text in ["", "e", "english", "en_US", "en-", "12", "en-toolongpart"] {
            #expect(LanguageTag.normalized(text) == nil, "\(text)")
        }
    }

    @Test func `a time zone is one that the folder knows`() {
        let folder = TimeZoneFolder()
        for text in ["UTC", "Asia/Kuala_Lumpur", "Europe/Berlin", "America/Argentina/Ushuaia"] {
            #expect(folder.isTimeZone(text))
        }
        for text in [
            "", "KL", "Asia/Atlantis", "Asia", "../../../etc/passwd", "/etc/localtime",
            "Asia/../UTC", "posix/UTC", "UTC+8 ",
        ] {
            #expect(!folder.isTimeZone(text), "\(text)")
        }
        #expect(
            TimeZoneFolder(folder.path + "/Asia").isTimeZone("Kuala_Lumpur"))
    }

    @Test func `without a time zone database the form decides`() {
        let nowhere = TimeZoneFolder("/nonexistent")
        #expect(nowhere.isTimeZone("Asia/Kuala_Lumpur"))
        #expect(nowhere.isTimeZone("UTC"))
        #expect(!nowhere.isTimeZone("KL"))
    }
}
