import Directory
import Model
import Parsing
import Testing

@testable import NotifierDaemon

/// What members read of who of their circle can be reached.
struct CircleReachabilityTests {
    private let house: House
    private let path = "/v1/circles/\(family)/reachability"

    init() throws { house = try House() }

    private func member(_ number: UInt64, as token: String) throws -> JSON? {
        try house.get(path, as: token).json["items"]?.array?.first {
            $0["person"]?.string == "\(person(number))"
        }
    }

    @Test func `a number that said STOP is shown to the person it would help`() throws {
        #expect(try member(2, as: "person-1")?["reachable"]?.bool == true)
        let stop = #"{"number":"+60111000002","stopped":true}"#
        #expect(try house.post("/v1/stops", stop).status == 200)
        for token in ["person-1", "person-2", "operator"] {
            let budi = try member(2, as: token)
            let sms = budi?["contacts"]?.array?.first
            #expect(sms?["channel"]?.string == "sms")
            #expect(sms?["reachable"]?.bool == false)
            #expect(sms?["reason"]?.string == "opted-out")
            #expect(budi?.text.contains("+6011") == false, "no number")
        }
    }

    @Test func `says who has no way at all, and whether anybody could help`() throws {
        #expect(try member(3, as: "person-1")?["reason"]?.string == "no-contact-point")
        #expect(try house.get(path, as: "person-1").json["helpers"]?["reachable"]?.bool == true)
        let circle = try #require(house.replica.circle(family))
        house.replica.apply(.circleChanged(circle.without(person(2))))
        let helpers = try house.get(path, as: "person-1").json["helpers"]
        #expect(helpers?["reachable"]?.bool == false)
        #expect(helpers?["reason"]?.string == "no-contact-point")
        #expect(try house.get(path, as: "operator").json["helpers"]?.isNull == true)
    }

    @Test func `others get the answer for what does not exist`() throws {
        let (status, answer) = try house.get(path, as: "person-4")
        let nothing = "/v1/circles/\(CircleID(ID128(high: 3, low: 77)))/reachability"
        let (absent, other) = try house.get(nothing, as: "person-4")
        #expect(status == 404 && absent == 404 && answer == other)
    }
}
