import Directory
import Model
import Parsing
import Runtime
import Testing

@testable import NotifierDaemon

/// Readiness of the family, as its members and the operator read it.
struct ReadinessRequestTests {
    private let host: TestHost
    private let path = "/v1/circles/\(family)/readiness"

    init() throws { host = try TestHost() }

    private func member(_ number: UInt64, as token: String) throws -> JSON? {
        try host.get(path, as: token).json["items"]?.array?.first {
            $0["person"]?.string == "\(person(number))"
        }
    }

    @Test func `guardians and admins read all rows, members their own`() throws {
        for (token, count) in [("person-1", 1), ("person-2", 3), ("person-3", 3), ("operator", 3)] {
            let (status, json) = try host.get(path, as: token)
            #expect(status == 200 && json["items"]?.array?.count == count, "\(token)")
            #expect(!json.text.contains("+6011") && !json.text.contains("example.org"))
        }
        #expect(try host.get(path, as: "person-4").status == 404)
    }

    @Test func `shows what ingest publishes about the phone`() throws {
        try host.receive(
            .deviceReporting(
                DeviceReporting(
                    person: person(1), device: DeviceID(.zero), isFirst: true, app: "owntracks",
                    lastReport: noon - .seconds(3600), impairments: [.locationPermission])))
        try host.restart()
        let reporting = try member(1, as: "person-2")?["reporting"]
        #expect(reporting?["app"]?.string == "owntracks")
        #expect(reporting?["lastReportDay"]?.string == "2026-11-20")
        #expect(reporting?["impaired"]?.bool == true)
        #expect(
            try member(1, as: "person-2")?["reasons"]?.array?.compactMap(\.string)
                .contains("impaired") == true)
    }

    @Test func `a circle without anybody reachable is red, says why, and is counted`() throws {
        let circle = try #require(host.replica.circle(family))
        host.replica.apply(.circleChanged(circle.without(person(2))))
        let json = try host.get(path, as: "operator").json
        #expect(json["state"]?.string == "red")
        #expect(
            json["explanation"]?.string == "Nobody else can be reached in an emergency of Aisha.")
        #expect(
            try member(1, as: "person-3")?["explanations"]?[0]?.string
                == "Nobody else can be reached for Aisha: the others have no contact point.")
        for _ in 1...3 {
            host.now = host.now + .seconds(300)
            try host.turn { _ in }
        }
        let metrics = Metrics()
        host.service.writeMetrics(metrics)
        #expect(metrics.render().contains("jaga_circles_nobody_reachable 1"))
    }

    @Test func `answers show a never-notify list and a duress PIN to nobody but its person`() throws
    {
        func answers() throws -> [String] {
            try ["person-2", "person-3", "operator"].map { try host.get(path, as: $0).json.text }
        }
        host.replica.apply(
            .pinChanged(
                PersonPIN(person: person(1), salt: "00", hashes: ["01", "02", "03", "04"])))
        let before = try answers()
        host.replica.apply(
            .neverNotifyChanged(
                NeverNotifyList(person: person(1), people: [person(2), person(3)])))
        host.replica.apply(
            .pinChanged(
                PersonPIN(person: person(1), salt: "00", hashes: ["01", "05", "06", "07"])))
        #expect(try answers() == before)
        #expect(try member(1, as: "person-1")?["state"]?.string == "red")
    }
}
