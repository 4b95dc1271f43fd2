import Model

// Encodes and decodes the reporting policy of a person's primary device.

extension ReportingMachine {
    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        let flags = try coder.flags(isStale, sent != nil)
        isStale = flags[0]
        try coder.code(&sent, if: flags[1])
    }
}

extension ReportingMachine.SentPolicy: StateCodable {
    /// By code.
    private static let modes: [ReportingMode] = [.region, .significant, .standard, .event]

    static var blank: Self { Self(device: .blank, mode: .region) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&device)
        var code = UInt8(Self.modes.firstIndex(of: mode) ?? 0)
        try coder.code(&code)
        guard code < Self.modes.count else {
            throw StateError(.invalid, coder.operation, "unknown reporting mode")
        }
        mode = Self.modes[Int(code)]
        try coder.code(&filterMetres, if: mode == .standard)
        try coder.code(&watch, if: mode == .region)
    }
}

extension ReportingMachine.Watch: StateCodable {
    static var blank: Self { Self(regions: [], chosen: .blank, closest: 0) }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&chosen)
        try coder.code(&closest)
        try coder.check((0...Int64(Int32.max)).contains(closest), "distance is out of range")
        try coder.code(list: &regions, bytesMin: 28)
    }
}

extension WatchedRegion: StateCodable {
    static var blank: WatchedRegion {
        WatchedRegion(zone: .blank, center: .blank, radiusMetres: 0)
    }

    mutating func code(_ coder: inout StateCoder) throws(StateError) {
        try coder.code(&zone)
        try coder.code(&center)
        try coder.code(&radiusMetres)
    }
}
