import Runtime
import Testing

@testable import MembershipDaemon

@Suite struct AddressTests {
    @Test func `a phone number has a country code and 7 to 15 digits`() {
        #expect(Addresses.phone("+60123456789") == "+60123456789")
        #expect(Addresses.phone("+60 12-345 (6789)") == "+60123456789")
        for text in [
            "60123456789", "0123456789", "+0123456789", "+12345", "+1234567890123456",
            "+6012a45678",
            "", "+", "++60123456789",
        ] {
            #expect(Addresses.phone(text) == nil, "\(text)")
        }
    }

    @Test func `a mail address has the form that servers accept`() {
        for text in ["anna@example.org", "a.b+c@mail.example.org", "root@localhost", "x@1.de"] {
            #expect(Addresses.mail(text) == text)
        }
        #expect(Addresses.mail(" anna@example.org ") == "anna@example.org")
        for text in [
            "anna", "@example.org", "anna@", "anna@@example.org", "anna@exa mple.org",
            "Anna <anna@example.org>", "anna@example..org", ".anna@example.org", "a@-b.org",
            "anna@example.org\r\nBcc: x@y.z", "änna@example.org",
            String(repeating: "a", count: 65) + "@example.org",
            "a@" + String(repeating: "b", count: 64) + ".org",
        ] {
            #expect(Addresses.mail(text) == nil, "\(text)")
        }
    }

    @Test func `a push endpoint is a web address`() {
        #expect(Addresses.push("https://push.example.org/abc") != nil)
        for text in ["push.example.org", "https://", "ftp://a/b", "https://a b", "https://a\nb"] {
            #expect(Addresses.push(text) == nil, "\(text)")
        }
    }

    @Test func `a locale is a language tag`() {
        for text in ["en", "ms", "id-ID", "zh-Hant-TW"] { #expect(Addresses.locale(text) == text) }
        for text in ["", "e", "english", "en_US", "en-", "12", "en-toolongpart"] {
            #expect(Addresses.locale(text) == nil, "\(text)")
        }
    }

    @Test func `a time zone is one that the folder knows`() {
        let folder = TimeZoneFolder()
        for text in ["UTC", "Asia/Kuala_Lumpur", "Europe/Berlin", "America/Argentina/Ushuaia"] {
            #expect(Addresses.timeZone(text, in: folder) == text)
        }
        for text in [
            "", "KL", "Asia/Atlantis", "Asia", "../../../etc/passwd", "/etc/localtime",
            "Asia/../UTC", "posix/UTC", "UTC+8 ",
        ] {
            #expect(Addresses.timeZone(text, in: folder) == nil, "\(text)")
        }
        #expect(
            Addresses.timeZone("Kuala_Lumpur", in: TimeZoneFolder(folder.path + "/Asia")) != nil)
    }

    @Test func `without a time zone database the form decides`() {
        let nowhere = TimeZoneFolder("/nonexistent")
        #expect(Addresses.timeZone("Asia/Kuala_Lumpur", in: nowhere) != nil)
        #expect(Addresses.timeZone("UTC", in: nowhere) != nil)
        #expect(Addresses.timeZone("KL", in: nowhere) == nil)
    }
}
