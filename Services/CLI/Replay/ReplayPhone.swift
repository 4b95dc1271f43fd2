import Glibc
import Hashing
import Model
import Parsing
import Runtime
import Web

/// Posts the points of a track in order, repeating each until it succeeds.
struct ReplayPhone {
    let api: API
    let token: Token
    let plan: ReplayPlan
    private let clock = SystemClock()

    /// Backoff between attempts: doubled each time, as in the app.
    static let retryFirst = Duration.seconds(1)
    static let retryLongest = Duration.seconds(120)

    init(api: API, token: Token, plan: ReplayPlan) {
        self.api = api
        self.token = token
        self.plan = plan
    }

    /// Sends the whole track.
    func play() throws {
        let began = clock.now
        let count = plan.track.points.count
        var bar = ProgressBar(total: count, at: began)
        var repeats = 0
        for index in 0..<count {
            sleep(
                until: began + .milliseconds(Int64(nearest: plan.sendAt[index] * 1000, .towardZero))
            )
            repeats += try post(index)
            let left = max(0, (plan.sendAt.last ?? 0) - plan.sendAt[index])
            bar.show(index + 1, left: left, at: clock.now)
        }
        bar.finish()
        let seconds = Double((clock.now - began).milliseconds) / 1000
        Console.print("replayed \(count) points in \(seconds) s, \(repeats) retries")
    }

    /// Sends a point until the suite accepts it.
    ///
    /// - Returns: the number of retries
    private func post(_ index: Int) throws -> Int {
        let body = plan.body(
            of: index, id: Hex.encode(SecureRandom.bytes(4)), sentAt: clock.now
        ).serialized()
        var wait = ReplayPhone.retryFirst
        var attempt = 0
        while true {
            let call = HTTPCall(
                .post, api.url + "/pub", headers: ["Content-Type": "application/json"], body: body,
                login: Login(user: "replay", password: token.text))
            if let answer = try? api.exchange(call) {
                if (200..<300).contains(answer.status) { return attempt }
                guard answer.status >= 500 else {
                    throw CommandError(
                        "the suite responded with status \(answer.status)",
                        hint: answer.status == 401
                            ? "it rejects \(token.origin): \(token.hint)" : "")
                }
            }
            if attempt == 0 {
                Console.printError("jaga replay: request failed; retrying until it succeeds")
            }
            sleep(until: clock.now + wait)
            wait = min(wait * 2, ReplayPhone.retryLongest)
            attempt += 1
        }
    }

    private func sleep(until time: Timestamp) {
        while clock.now < time {
            usleep(UInt32(clamping: min(100_000, (time - clock.now).microseconds)))
        }
    }
}
