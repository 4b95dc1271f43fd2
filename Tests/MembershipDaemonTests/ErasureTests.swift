import Foundation
import TestSupport
import Testing

@Suite struct `An erased person` {
    @Test func `is erased again after an older store is restored`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        await jaga.kill()
        let copy = try jaga.copyStore()
        try await jaga.startAgain()
        #expect(try jaga.ask("DELETE", "/v1/people/\(anna)").status == 200)
        #expect(await eventually { jaga.erased().contains(anna) })
        #expect(!jaga.erased().contains(ben))
        await jaga.kill()
        try jaga.putBack(copy)
        try await jaga.startAgain()
        #expect(try jaga.ask("GET", "/v1/people/\(anna)").status == 404)
        #expect(try jaga.ask("GET", "/v1/people/\(ben)").status == 200)
    }

    @Test func `is erased again even if they were the last admin of their circle`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let circle = try jaga.ask("POST", "/v1/circles", "{'name': 'Family'}").text("id")
        for (person, role) in [(anna, "admin"), (ben, "member")] {
            try jaga.ask(
                "POST", "/v1/circles/\(circle)/members",
                "{'person': '\(person)', 'role': '\(role)'}")
        }
        await jaga.kill()
        let copy = try jaga.copyStore()
        try await jaga.startAgain()
        try jaga.ask("PUT", "/v1/circles/\(circle)/members/\(ben)", "{'role': 'admin'}")
        #expect(try jaga.ask("DELETE", "/v1/people/\(anna)").status == 200)
        #expect(await eventually { jaga.erased().contains(anna) })
        await jaga.kill()
        try jaga.putBack(copy)
        try await jaga.startAgain()
        let members = try jaga.ask("GET", "/v1/circles/\(circle)").json["members"]?.array ?? []
        #expect(members.compactMap { $0["person"]?.string } == [ben])
    }
}

extension RunningMembership {
    private var store: String { home + "/membership" }

    /// The store's folder of a process that does not run.
    fileprivate func copyStore() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: store, toPath: copy.file("membership"))
        return copy
    }

    fileprivate func putBack(_ copy: TemporaryFolder) throws {
        try FileManager.default.removeItem(atPath: store)
        try FileManager.default.copyItem(atPath: copy.file("membership"), toPath: store)
    }

    /// The content of the list in the home.
    fileprivate func erased() -> String {
        (try? String(contentsOfFile: home + "/erased", encoding: .utf8)) ?? ""
    }
}
