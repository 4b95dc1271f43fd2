import Model
import Wire

// Requests of a consumer and their timing.
extension Consumer {
    /// Sends all requests that are due. Cost: the number of due requests, not of followed streams.
    func tick(_ now: Moment, hooks: Bus.Hooks) {
        for index in links.indices { checkLink(index, now, hooks) }
        repeatOverdueRequests(now)
        sendHellos(now)
        requestMissing(now)
        requestRows(now)
        tickLeaseSet(now)
        acknowledge(now)
    }

    private func checkLink(_ index: Int, _ now: Moment, _ hooks: Bus.Hooks) {
        switch links[index].step(now.monotonic) {
        case .nothing: break
        case .requestHeads: transport.sendRequest(Control.headsRequest.encoded(), to: index)
        case .reconnect:
            counters.reconnects += 1
            if !links[index].isConnected, links[index].shouldReportDisconnection() {
                hooks.notice(.disconnected(peer: links[index].name))
            }
            transport.reconnect(to: index)
            forgetRequests(to: index)
            resendRequests(to: index)
        }
    }

    /// Records that a peer rejected one of the connections to it.
    func recordRejection(_ rejection: PeerRejection) {
        guard rejection.isOurs, rejection.reason != .interrupted else { return }
        for index in links.indices where links[index].name == rejection.place {
            links[index].markBroken()
        }
    }

    /// Forgets pending requests to a peer: replies to replaced connections are lost.
    private func forgetRequests(to peer: Int) {
        for stream in waiting { subscription(stream, at: peer).map(repeatRequest) }
        for stream in reading {
            guard let found = subscription(stream, at: peer),
                case .snapshot(let reader) = found.phase
            else { continue }
            reader.requestedAt = nil
        }
    }

    private func repeatRequest(_ found: Subscription) {
        clearRequest(of: found)
        if found.isUnknown { unverified.insert(found.stream) }
        if found.wantsReplay { missing.insert(found.stream) }
    }

    /// Repeats requests whose reply timed out.
    private func repeatOverdueRequests(_ now: Moment) {
        for stream in waiting {
            guard let found = subscriptions[stream], let requested = found.requestedAt else {
                waiting.remove(stream)
                continue
            }
            // Timeouts differ by stream, so that repeated requests are spread over time.
            let timeout = BusLimits.replyTimeout + .milliseconds(stream.code % 16 * 8)
            guard now.monotonic - requested >= timeout else { continue }
            repeatRequest(found)
        }
    }

    private func sendHellos(_ now: Moment) {
        guard !unverified.isEmpty || derivedStreams.hasDoubts else { return }
        for index in links.indices
        where now.monotonic - lastHello[index] >= BusLimits.helloInterval {
            let found = unverified.compactMap { subscription($0, at: index) }
                .filter { $0.requestedAt == nil }.sorted { $0.stream < $1.stream }
            let entries =
                found.map { Control.Entry($0.stream, $0.applied) }
                + derivedStreams.doubts(about: index)
            guard !entries.isEmpty else { continue }
            let hello = Control.hello(consumer: configuration.name, entries: entries)
            guard transport.sendRequest(hello.encoded(), to: index) else { continue }
            lastHello[index] = now.monotonic
            for subscription in found {
                unverified.remove(subscription.stream)
                subscription.requestedAt = now.monotonic
                waiting.insert(subscription.stream)
            }
        }
    }

    private func requestMissing(_ now: Moment) {
        for stream in missing {
            guard let found = subscriptions[stream], found.wantsReplay else {
                missing.remove(stream)
                continue
            }
            guard found.requestedAt == nil else { continue }
            let replay = Control.replay(
                consumer: configuration.name, from: Control.Entry(stream, found.end),
                bytesMax: UInt32(WireLimits.batchBytesMax))
            guard transport.sendRequest(replay.encoded(), to: found.peer) else { continue }
            counters.replaysRequested += 1
            missing.remove(stream)
            found.requestedAt = now.monotonic
            waiting.insert(stream)
        }
    }

    private func acknowledge(_ now: Moment) {
        if now.monotonic - lastAcknowledgingAll >= BusLimits.acknowledgeAllInterval {
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
            guard transport.sendRequest(message.encoded(), to: index) else { continue }
            for subscription in found {
                unacknowledged.remove(subscription.stream)
                subscription.acknowledged = subscription.durable
            }
        }
    }
}
