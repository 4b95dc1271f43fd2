import EvaluatorCore
import Model

extension World {
    /// A person whose phone reports, and has shown that it goes by hints.
    static func hinted(_ seconds: Int32 = 1800) -> World {
        var world = World()
        _ = world.report(north: 0)
        _ = world.tell(terms: seconds)
        return world
    }

    mutating func tell(terms seconds: Int32?) -> [Event] {
        handle(
            .inputSilenceTerms(
                SilenceTerms(
                    person: World.person, device: World.phone, maxSilenceSeconds: seconds)))
    }

    mutating func contact(
        _ kind: Contact.Kind, battery: UInt8? = nil, charging: Bool? = nil
    ) -> [Event] {
        handle(
            .inputContact(
                Contact(
                    person: World.person, kind: kind, at: now, battery: battery,
                    charging: charging)))
    }

    private static let watch = WatchID(ID128(high: 7, low: 1))

    mutating func watch(for seconds: Int64) -> [Event] {
        handle(
            .inputWatch(
                WatchSpan(
                    person: World.person, watch: World.watch, until: now + .seconds(seconds))))
    }

    mutating func endWatch() -> [Event] {
        handle(.inputWatch(WatchSpan(person: World.person, watch: World.watch, until: nil)))
    }

    mutating func deaf(from: Timestamp) -> [Event] {
        handle(.inputDeafness(Deafness(from: from, to: now)))
    }

    mutating func hold(_ isHeld: Bool) -> [Event] {
        handle(.inputSilenceHold(SilenceHold(isHeld: isHeld)))
    }

    /// A panic of nobody's device, without a countdown.
    func signal(_ number: UInt64) -> EmergencySignal {
        EmergencySignal(
            id: EmergencyID(ID128(high: 5, low: number)), person: World.person, trigger: .panic,
            raised: now, received: now, countdownEnds: now)
    }
}

extension [Event] {
    var silenceNews: [SilenceNews] {
        compactMap { event in
            switch event.body {
            case .silenceQuiet(let news), .silenceOverdue(let news), .silenceLost(let news),
                .silenceEnded(let news):
                news
            default: nil
            }
        }
    }

    /// `q` quiet, `o` overdue, `l` lost; ended because the device was `h` heard, the person
    /// `a` answered, or something else `c` changed.
    var silences: String {
        map { event in
            switch event.body {
            case .silenceQuiet: "q"
            case .silenceOverdue: "o"
            case .silenceLost: "l"
            case .silenceEnded(let news): String(news.end?.rawValue.first ?? "?")
            default: ""
            }
        }.joined()
    }

    var batteries: [UInt8] {
        compactMap { if case .batteryLow(let news) = $0.body { news.mark } else { nil } }
    }

    func clocks(_ rule: ClockRule) -> (wanted: [WantedClock], unwanted: [WantedClock]) {
        var found: (wanted: [WantedClock], unwanted: [WantedClock]) = ([], [])
        for event in self {
            switch event.body {
            case .clockWanted(let clock) where clock.rule == rule: found.wanted.append(clock)
            case .clockUnwanted(let clock) where clock.rule == rule: found.unwanted.append(clock)
            default: break
            }
        }
        return found
    }
}
