import Runtime
import Testing

@Suite struct TimeZoneFolderTests {
    private let folder = TimeZoneFolder()

    @Test func `a name has rules, and no other file is read`() {
        #expect(folder.rules(of: "Asia/Kuala_Lumpur") != nil)
        #expect(folder.machineZoneName(["TZ": "Asia/Tokyo"]) == "Asia/Tokyo")
        #expect(folder.rules(of: folder.machineZoneName(["TZ": "Nowhere"])) != nil)
        #expect(folder.rules(of: "UTC")?.offsetSeconds(at: .zero) == 0)
        for name in [
            "", "KL", "Asia", "Asia/Atlantis", "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC",
            "posix/UTC", "zone.tab", "Asia//Tokyo",
        ] {
            #expect(folder.rules(of: name) == nil, "\(name)")
        }
    }

    @Test func `a misspelled name leads to a suggestion`() {
        for (wrong, right) in [
            ("Asia/Kuala Lumpur", "Asia/Kuala_Lumpur"), ("Kuala Lumpur", "Asia/Kuala_Lumpur"),
            ("asia/jakarta", "Asia/Jakarta"), ("Europe/Berlim", "Europe/Berlin"),
            ("Asia/Singapour", "Asia/Singapore"), ("America/Berlin", "Europe/Berlin"),
        ] {
            #expect(folder.nearest(to: wrong) == right, "\(wrong)")
        }
        for nonsense in ["", "/", "Mars", "xyzzyxyzzyxyzzy"] {
            #expect(folder.nearest(to: nonsense) == nil, "\(nonsense)")
        }
        #expect(TimeZoneFolder("/nonexistent").nearest(to: "Asia/Tokio") == nil)
    }
}
