import Model

extension OwnTracks {
    /// Reporting settings in the terms of the apps' `setConfiguration`.
    ///
    /// The apps interpret the same settings differently. In significant mode Android waits for the
    /// interval *and* the distance. In move mode it ignores the distance, and its interval is the
    /// minimum pause, whereas a policy specifies the maximum one. iOS in move mode reports when
    /// either is reached, and ignores both in significant mode.
    public struct Configuration: Hashable, Sendable {
        /// Mode in which the phone reports at intervals, even when stationary.
        public static let movingMode = 2

        /// 1 significant changes, 2 move.
        public var monitoring: Int
        /// Seconds.
        public var locatorInterval: Int32?
        /// Metres.
        public var locatorDisplacement: Int32?
        /// Seconds; Android only.
        public var moveModeLocatorInterval: Int32?

        /// Minimum time between two fixes of Android in standard mode.
        private static let standardSeconds: Int32 = 10
        /// Android's own defaults for significant changes.
        private static let significantSeconds: Int32 = 60
        private static let significantMetres: Int32 = 500
        private static let standardMetres: Int32 = 50
        /// Distance for iOS in event mode, where the interval is decisive.
        private static let eventMetres: Int32 = 100

        public init(_ policy: ReportingPolicy, for app: App) {
            let filter = policy.distanceFilterMetres ?? Configuration.standardMetres
            switch (policy.mode, app) {
            case (.event, .iOS):
                monitoring = Configuration.movingMode
                locatorInterval = policy.intervalSeconds
                locatorDisplacement = Configuration.eventMetres
            case (.event, _):
                monitoring = Configuration.movingMode
                moveModeLocatorInterval = policy.intervalSeconds
            case (.standard, .iOS):
                monitoring = Configuration.movingMode
                locatorInterval = policy.intervalSeconds
                locatorDisplacement = filter
            case (.standard, _):
                monitoring = 1
                locatorInterval = Configuration.standardSeconds
                locatorDisplacement = filter
            case (.significant, .iOS), (.region, .iOS): monitoring = 1
            case (.significant, _), (.region, _):
                monitoring = 1
                locatorInterval = Configuration.significantSeconds
                locatorDisplacement = Configuration.significantMetres
            }
        }
    }
}
