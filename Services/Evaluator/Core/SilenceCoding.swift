import Model

// A person's silence and what was told of their battery, as parts of the state of a partition. The
// clock that makes an emergency of a silence follows from the rest.

extension StateWriter {
    mutating func put(_ silence: Silence, _ battery: BatteryNotice) {
        put(flags: [
            silence.terms != nil, silence.watch != nil, battery.told != nil,
        ])
        if let terms = silence.terms {
            put(terms.device)
            put(terms.maxSilenceSeconds)
            put(silence.phase.rawValue)
            put(silence.heard)
            put(silence.due)
        }
        if let watch = silence.watch {
            put(watch.id)
            put(watch.until)
        }
        if let told = battery.told { put(told) }
    }
}

extension StateReader {
    mutating func silence() throws(StateError) -> (Silence, BatteryNotice) {
        let flags = try flags(3)
        var silence = Silence()
        if flags & 1 != 0 {
            silence.terms = Silence.Terms(device: try id(), maxSilenceSeconds: try number())
            guard let phase = Silence.Phase(rawValue: try number()) else {
                throw refusal("a silence in a phase that nobody knows")
            }
            silence.phase = phase
            silence.heard = try time()
            silence.due = try time()
        }
        if flags & 2 != 0 { silence.watch = Silence.Watch(id: try id(), until: try time()) }
        guard silence.terms.map({ $0.maxSilenceSeconds > 0 }) ?? true else {
            throw refusal("a silence that no device keeps")
        }
        silence.clock = silence.emergencyDue
        return (silence, BatteryNotice(told: flags & 4 == 0 ? nil : try number()))
    }
}
