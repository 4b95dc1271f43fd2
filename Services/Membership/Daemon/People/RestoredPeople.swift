import Hosting
import MembershipCore
import Runtime

/// Erases people again who came back when an older store was restored.
struct RestoredPeople {
    let runner: CoreRunner

    func eraseAgain() throws {
        let people = try runner.erasures.people().filter {
            runner.core.directory.person($0) != nil
        }
        guard !people.isEmpty else { return }
        for person in people { try runner.submit(.eraseAgain(person)) }
        runner.host.log.warning("erased restored people again", ["people": people.count])
    }
}
