import Foundation
import TestSupport
import Testing

@Suite struct `A never-notify list over HTTP` {
    /// Status, headers and body of everything that others read about Anna, without the date and the
    /// request's id.
    private func readings(
        _ jaga: RunningMembership, _ anna: String, _ circle: String, as token: String?
    ) throws -> [String] {
        let paths = [
            "/v1/people", "/v1/people/\(anna)", "/v1/people/\(anna)/devices",
            "/v1/people/\(anna)/never-notify", "/v1/people/\(anna)/applicable-zones",
            "/v1/people/\(anna)/zones", "/v1/circles", "/v1/circles/\(circle)",
            "/v1/circles/\(circle)/members", "/v1/circles/\(circle)/members/\(anna)",
            "/v1/circles/\(circle)/zones", "/v1/rights?circle=\(circle)&person=\(anna)",
            "/v1/sets",
        ]
        return try paths.map { path in
            let answer = try jaga.ask("GET", path, as: token)
            let headers = answer.headers.filter { !["date", "x-request-id"].contains($0.key) }
                .sorted { $0.key < $1.key }
            let body = String(decoding: answer.body, as: UTF8.self)
            return "\(path) \(answer.status) \(headers) \(body)"
        }
    }

    @Test func `changes nothing that anybody else can read`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'Family'}").text("id")
        for (person, role) in [(anna, "member"), (ben, "admin")] {
            try jaga.ask(
                "POST", "/v1/circles/\(circle)/members",
                "{'person': '\(person)', 'role': '\(role)'}")
        }
        let own = try jaga.token(of: anna)
        let others = [nil, try jaga.token(of: ben)]
        let before = try others.map { try readings(jaga, anna, circle, as: $0) }
        let path = "/v1/people/\(anna)/never-notify"
        #expect(try jaga.ask("GET", path, as: own).json["people"] == [])
        let set = try jaga.ask(
            "PUT", path, "{'people': ['\(ben)'], 'circles': ['\(circle)']}", as: own)
        #expect(set.status == 200 && set.json["people"] == [.string(ben)])
        #expect(set.json["reachesNobody"] == true)
        #expect(set.json["silentCircles"] == [.string(circle)])
        #expect(set.headers["etag"] == nil)
        #expect(try others.map { try readings(jaga, anna, circle, as: $0) } == before)

        for token in others {
            #expect(try jaga.ask("GET", path, as: token).status == 403)
            #expect(try jaga.ask("PUT", path, "{'people': []}", as: token).status == 403)
        }
        await jaga.kill()
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", path, as: own).json == set.json, "it survives a restart")
        #expect(try jaga.ask("PUT", path, "{'people': ['x']}", as: own).field == "people[0]")
        #expect(try jaga.ask("PUT", path, "{'people': 'x'}", as: own).field == "people")
        #expect(try jaga.ask("PUT", path, "{'circle': []}", as: own).status == 400)
        let cleared = try jaga.ask("PUT", path, "{}", as: own)
        #expect(cleared.json["people"] == [] && cleared.json["reachesNobody"] == false)
    }

    @Test func `an erasure says what is kept`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let certificate = try jaga.ask("DELETE", "/v1/people/\(anna)")
        #expect(certificate.status == 200 && certificate.json["person"]?.string == anna)
        let services = (certificate.json["erased"]?.array ?? []).compactMap {
            $0["service"]?.string
        }
        #expect(services == ["membership", "ingest", "notifier", "timer", "evaluator"])
        let kept = certificate.json["kept"]?.array ?? []
        #expect(kept.allSatisfy { $0["why"]?.string?.isEmpty == false } && kept.count == 6)
        #expect(kept.contains { $0["what"]?.string?.contains("backups") == true })
    }
}
