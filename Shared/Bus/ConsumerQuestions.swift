import Model
import Wire

// What a consumer asks its writers, and when.
extension Consumer {
    /// Asks what is to be asked now. Costs what there is to ask, not what there is to follow.
    func tick(_ now: Moment, hooks: Bus.Hooks) {
        for index in links.indices { watch(index, now, hooks) }
        askAgain(now)
        greet(now)
        askForMissing(now)
        askForRows(now)
        tickTenancy(now)
        acknowledge(now)
    }

    private func watch(_ index: Int, _ now: Moment, _ hooks: Bus.Hooks) {
        switch links[index].step(now.monotonic) {
        case .nothing: break
        case .ask: transport.ask(Control.headsWanted.encoded(), of: index)
        case .reconnect:
            counters.reconnects += 1
            if !links[index].isHeard, links[index].becameSilent() {
                hooks.notice(.silent(peer: links[index].name))
            }
            transport.reconnect(to: index)
            forgetQuestions(to: index)
            sayAgain(to: index)
        }
    }

    /// A peer did not let us in by one of the connections to it.
    func turnedAway(_ refusal: PeerRefusal) {
        guard refusal.isOurs, refusal.reason != .brokenOff else { return }
        for index in links.indices where links[index].name == refusal.place {
            links[index].breakOff()
        }
    }

    /// The answers, if there were any, went to connections that are no more.
    private func forgetQuestions(to peer: Int) {
        for stream in waiting { subscription(stream, at: peer).map(askAnew) }
        for stream in reading {
            guard let found = subscription(stream, at: peer),
                case .snapshot(let reader) = found.phase
            else { continue }
            reader.askedAt = nil
        }
    }

    private func askAnew(_ found: Subscription) {
        answered(found)
        if found.isUnknown { greeting.insert(found.stream) }
        if found.wantsReplay { missing.insert(found.stream) }
    }

    /// Questions whose answer did not come in time count as not asked.
    private func askAgain(_ now: Moment) {
        for stream in waiting {
            guard let found = subscriptions[stream], let asked = found.askedAt else {
                waiting.remove(stream)
                continue
            }
            // Not all at once: each stream has its own patience.
            let patience = BusLimits.answerWait + .milliseconds(stream.code % 16 * 8)
            guard now.monotonic - asked >= patience else { continue }
            askAnew(found)
        }
    }

    private func greet(_ now: Moment) {
        guard !greeting.isEmpty || computed.hasDoubts else { return }
        for index in links.indices
        where now.monotonic - lastGreeting[index] >= BusLimits.helloPause {
            let found = greeting.compactMap { subscription($0, at: index) }
                .filter { $0.askedAt == nil }.sorted { $0.stream < $1.stream }
            let entries =
                found.map { Control.Entry($0.stream, $0.applied) } + computed.doubts(about: index)
            guard !entries.isEmpty else { continue }
            let hello = Control.hello(consumer: configuration.name, entries: entries)
            guard transport.ask(hello.encoded(), of: index) else { continue }
            lastGreeting[index] = now.monotonic
            for subscription in found {
                greeting.remove(subscription.stream)
                subscription.askedAt = now.monotonic
                waiting.insert(subscription.stream)
            }
        }
    }

    private func askForMissing(_ now: Moment) {
        for stream in missing {
            guard let found = subscriptions[stream], found.wantsReplay else {
                missing.remove(stream)
                continue
            }
            guard found.askedAt == nil else { continue }
            let replay = Control.replay(
                consumer: configuration.name, from: Control.Entry(stream, found.end),
                bytesMax: UInt32(WireLimits.batchBytesMax))
            guard transport.ask(replay.encoded(), of: found.peer) else { continue }
            counters.replaysAsked += 1
            missing.remove(stream)
            found.askedAt = now.monotonic
            waiting.insert(stream)
        }
    }

    private func acknowledge(_ now: Moment) {
        if now.monotonic - lastAcknowledgingAll >= BusLimits.acknowledgeAgain {
            lastAcknowledgingAll = now.monotonic
            for (stream, found) in subscriptions
            where found.durable != .unknown && !found.isAssigned {
                unacknowledged.insert(stream)
            }
        }
        guard configuration.acknowledges, !unacknowledged.isEmpty,
            now.monotonic - lastAcknowledging >= BusLimits.acknowledgeInterval
                || appliedSinceAcknowledging >= BusLimits.acknowledgeRecords
        else { return }
        lastAcknowledging = now.monotonic
        appliedSinceAcknowledging = 0
        for index in links.indices {
            let found = unacknowledged.compactMap { subscription($0, at: index) }
                .sorted { $0.stream < $1.stream }
            guard !found.isEmpty else { continue }
            let message = Control.acknowledge(
                consumer: configuration.name,
                entries: found.map { Control.Entry($0.stream, $0.durable) })
            guard transport.ask(message.encoded(), of: index) else { continue }
            for subscription in found {
                unacknowledged.remove(subscription.stream)
                subscription.acknowledged = subscription.durable
            }
        }
    }
}
