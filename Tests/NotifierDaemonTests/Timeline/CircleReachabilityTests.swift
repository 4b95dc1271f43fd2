import Directory
import Model
import Parsing
import Testing

@testable import NotifierDaemon

/// Reachability of a circle, as its members read it.
struct CircleReachabilityTests {
    private let host: TestHost
    private let path = "/v1/circles/\(family)/reachability"

    init() throws { host = try TestHost() }

    private func member(_ number: UInt64, as token: String) throws -> JSON? {
        try host.get(path, as: token).json["items"]?.array?.first {
            $0["person"]?.string == "\(person(number))"
        }
    }

    @Test func `a number that replied STOP is shown to the person who needs it`() throws {
        #expect(try member(2, as: "person-1")?["reachable"]?.bool == true)
        let stop = #"{"number":"+60111000002","stopped":true}"#
        #expect(try host.post("/v1/opt-outs", stop).status == 200)
        for token in ["person-1", "person-2", "operator"] {
            let budi = try member(2, as: token)
            let sms = budi?["contacts"]?.array?.first
            #expect(sms?["channel"]?.string == "sms")
            #expect(sms?["reachable"]?.bool == false)
            #expect(sms?["reason"]?.string == "opted-out")
            #expect(budi?.text.contains("+6011") == false, "no number")
        }
    }

    @Test func `shows who is unreachable, and whether anybody could help`() throws {
        #expect(try member(3, as: "person-1")?["reason"]?.string == "no-contact-point")
        #expect(try host.get(path, as: "person-1").json["helpers"]?["reachable"]?.bool == true)
        let circle = try #require(host.replica.circle(family))
        host.replica.apply(.circleChanged(circle.without(person(2))))
        let helpers = try host.get(path, as: "person-1").json["helpers"]
        #expect(helpers?["reachable"]?.bool == false)
        #expect(helpers?["reason"]?.string == "no-contact-point")
        #expect(try host.get(path, as: "operator").json["helpers"]?.isNull == true)
    }

    @Test func `others get not found`() throws {
        let (status, answer) = try host.get(path, as: "person-4")
        let nothing = "/v1/circles/\(CircleID(ID128(high: 3, low: 77)))/reachability"
        let (absent, other) = try host.get(nothing, as: "person-4")
        #expect(status == 404 && absent == 404 && answer == other)
    }
}
