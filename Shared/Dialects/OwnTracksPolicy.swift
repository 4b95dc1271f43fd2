import Model

extension OwnTracks {
    /// How to report, in the words of the apps: what goes into their `setConfiguration`.
    ///
    /// The same words mean other things to the two. Android in significant mode waits for the
    /// interval *and* the distance, and minds no distance in move mode: its interval is the
    /// shortest pause, not the longest silence that a policy names. iOS in move mode goes by
    /// whichever comes first, and minds neither in significant mode.
    public struct Configuration: Hashable, Sendable {
        /// In this mode a phone reports by the interval, also standing still.
        public static let movingMode = 2

        /// 1 significant changes, 2 moving.
        public var monitoring: Int
        /// Seconds.
        public var locatorInterval: Int32?
        /// Metres.
        public var locatorDisplacement: Int32?
        /// Seconds; Android alone.
        public var moveModeLocatorInterval: Int32?

        /// Between two fixes of Android that are a short distance apart.
        private static let standardSeconds: Int32 = 10
        /// What Android itself takes for a significant change.
        private static let significantSeconds: Int32 = 60
        private static let significantMetres: Int32 = 500
        private static let standardMetres: Int32 = 50
        /// iOS in event mode; the interval makes the difference.
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
