import Model

/// The parameters of all decisions, as integers.
///
/// They are part of the logic's version and never come from a service's settings.
public struct EvaluatorRules: Hashable, Sendable {
    /// Accuracy assumed for a fix without one, centimetres.
    public var unknownAccuracyCentimetres: Int32 = 5000
    /// Margin as a share of the accuracy, percent. Phones report the radius that contains 68 % of
    /// fixes; twice that contains 98 %. So noise as wide as the accuracy cannot cross an alert
    /// zone's band back and forth, wherever the person stands.
    public var accuracyFactorPercent: Int32 = 200
    /// Upper limit of the margin that accuracy requires, centimetres; the accuracy itself if that
    /// is larger. So nobody leaves a zone that the fix's accuracy circle still touches.
    public var accuracyMarginCentimetresMax: Int32 = 20_000
    /// A moving person leaves by one fix if it is beyond the line by more than this multiple of the
    /// unlimited margin.
    public var sureMarginFactor: Int32 = 2
    /// Speed from which a person counts as moving, centimetres a second: a slow walk. A person who
    /// is stationary does not leave by one fix, however accurate it claims to be.
    public var movingSpeed: Int32 = 100
    /// Minimum wait for a second fix before a person has left by one fix, seconds: a little longer
    /// than phones are asked to report. The wait follows the phone's usual interval, so the next
    /// report decides if there is one.
    public var confirmSecondsMin: Int64 = 200
    /// The wait exceeds the usual interval by this fraction (1/n).
    public var confirmParts: Int64 = 9
    /// Maximum wait, seconds: a little longer than the longest reporting interval of a reachable
    /// phone, 30 min.
    public var confirmSecondsMax: Int64 = 2000
    /// Each fix reduces the weight of a longer earlier interval by this fraction (1/n), because
    /// phones with a fixed interval also report in between.
    public var intervalDecayParts: Int32 = 32
    /// A less accurate fix enters no safe zone with a smaller inradius, centimetres.
    public var safeAccuracyCentimetresMax: Int32 = 10_000
    /// A less accurate fix enters no alert zone whose inradius is less than half this, centimetres.
    public var alertAccuracyCentimetresMax: Int32 = 30_000
    /// Wait of one fix that is beyond a line by its accuracy, seconds; twice as far beyond, half as
    /// long: 60 s at 250 m with an accuracy of 10 m.
    public var leaveScaleSeconds: Int64 = 1500
    /// Minimum wait of one fix that is not far beyond a line, seconds.
    public var farConfirmSeconds: Int64 = 60
    /// A fix is far beyond a line, and leaves without a wait, at this distance in centimetres and
    /// at this multiple of its accuracy.
    public var farCentimetres: Int32 = 100_000
    public var farAccuracyFactor: Int32 = 10
    /// A person whose fixes are not deep enough inside a safe zone has entered once fixes agree for
    /// this time, seconds: in a zone that is too small for the margin, and in others.
    public var smallZoneSeconds: Int64 = 60
    public var shallowSeconds: Int64 = 300
    /// A path agrees with a reported speed up to this share of it, percent.
    public var reportedPathPercent: Int32 = 150
    /// Assumed acceleration from rest of a person of unknown speed, centimetres per second per
    /// second: that of a train.
    public var leavingAcceleration: Int32 = 100
    /// The same for entering a safe zone. It is lower because "entered" reassures people and the
    /// next fix decides anyway.
    public var enteringAcceleration: Int32 = 50
    /// Fixes that agree in speed and direction within `steadyPercent` are trusted up to this speed,
    /// centimetres a second.
    public var steadySpeedMax: Int32 = 35_000
    public var steadyPercent: Int32 = 25
    /// A signal that arrives this long after it was raised is late and gets no countdown, seconds.
    public var lateSignalSeconds: Int64 = 300
    /// Alarms stop ringing when the last fix is older than this, seconds.
    public var alarmFixSecondsMax: Int64 = 1800
    /// Minimum time between rings of a zone, seconds.
    public var alarmCycleSecondsMin: Int64 = 10
    /// Parameters of reporting policies.
    public var reporting = ReportingRules()
    /// Parameters of contact loss and battery warnings.
    public var contact = ContactRules()
    /// Maximum plausible speed between two fixes, centimetres a second.
    public var speedMax: Int32 = 7000
    /// If both fixes report a speed, also at most this multiple of the larger one plus
    /// `speedAllowance`.
    public var speedFactor: Int32 = 3
    /// Added to the multiple of the reported speed, centimetres a second.
    public var speedAllowance: Int32 = 1500
    /// Reported speeds limit only fixes that are at most this far apart, seconds.
    public var reportedSpeedSecondsMax: Int64 = 60
    /// A suspect fix is trusted if no other fix follows within this time, seconds.
    public var suspectSeconds: Int64 = 1800
    /// The same during an emergency, seconds.
    public var suspectSecondsInEmergency: Int64 = 180
    /// The path between two fixes counts only if they are at most this far apart, seconds.
    public var pathSecondsMax: Int64 = 300
    /// A fix no older than this proves contact, seconds.
    public var contactSeconds: Int64 = 900

    public init() {}

    /// The distance beyond an edge that counts, centimetres: the zone's hysteresis or the margin of
    /// the fix's accuracy, whichever is larger.
    ///
    /// - Parameter inradius: the zone's, centimetres. The margin of a fix that is too inaccurate
    ///   for the zone is not limited.
    public func margin(
        hysteresisMetres: Int32, accuracyCentimetres reported: Int32, inradius: Int32 = .max
    ) -> Int32 {
        let accuracy = accuracy(reported)
        if accuracy > safeAccuracyMax(inradiusCentimetres: inradius) {
            return larger(hysteresisMetres, required(reported))
        }
        let limit = max(accuracyMarginCentimetresMax, accuracy)
        return larger(hysteresisMetres, min(required(reported), Int64(limit)))
    }

    /// The distance beyond an edge at which one fix of a moving person is enough to leave,
    /// centimetres.
    public func sureMargin(hysteresisMetres: Int32, accuracyCentimetres reported: Int32) -> Int32 {
        larger(hysteresisMetres, required(reported) * Int64(sureMarginFactor))
    }

    /// The margin that accuracy requires without the upper limit, centimetres.
    private func required(_ reported: Int32) -> Int64 {
        Int64(accuracy(reported)) * Int64(accuracyFactorPercent) / 100
    }

    private func larger(_ hysteresisMetres: Int32, _ accurate: Int64) -> Int32 {
        Int32(min(max(Int64(hysteresisMetres) * 100, accurate), EvaluatorRules.marginMax))
    }

    /// Larger than any distance to an edge; an alert distance can be added without overflow,
    /// centimetres.
    private static let marginMax: Int64 = 2_040_000_000

    /// The phone's usual interval between fixes: a decaying maximum, seconds.
    ///
    /// - Parameters:
    ///   - usual: the value before this fix.
    ///   - silent: time since the previous fix, seconds.
    @inline(__always)
    func usualInterval(_ usual: Int32, after silent: Int64) -> Int32 {
        guard silent > 0 else { return usual }
        return max(Int32(min(silent, confirmSecondsMax)), usual - usual / intervalDecayParts)
    }

    /// The worst accuracy that can enter a safe zone, centimetres.
    func safeAccuracyMax(inradiusCentimetres: Int32) -> Int32 {
        max(safeAccuracyCentimetresMax, inradiusCentimetres)
    }

    /// The worst accuracy that can enter an alert zone, centimetres.
    func alertAccuracyMax(inradiusCentimetres: Int32) -> Int32 {
        Int32(clamping: max(Int64(alertAccuracyCentimetresMax), 2 * Int64(inradiusCentimetres)))
    }

    /// Whether a fix is too inaccurate for a zone.
    func isCoarse(_ fix: Fix, _ kind: ZoneKind, inradiusCentimetres: Int32) -> Bool {
        let limit =
            switch kind.rules.accuracy {
            case .radius: safeAccuracyMax(inradiusCentimetres: inradiusCentimetres)
            case .diameter: alertAccuracyMax(inradiusCentimetres: inradiusCentimetres)
            }
        return accuracy(fix.accuracyCentimetres) > limit
    }

    /// How long to wait for another fix before one fix makes a person leave, seconds. The farther
    /// beyond the line in terms of its accuracy, the shorter.
    ///
    /// - Parameters:
    ///   - beyond: distance beyond the line, centimetres.
    ///   - usual: the wait without this reduction, seconds.
    ///   - isCoarse: too inaccurate for the zone; its wait is never reduced.
    func leaveSeconds(_ fix: Fix, beyond: Int32, usual: Int64, isCoarse: Bool) -> Int64 {
        guard beyond > 0 else { return usual }
        let shrunk = leaveScaleSeconds * Int64(accuracy(fix.accuracyCentimetres)) / Int64(beyond)
        if isCoarse { return max(usual, shrunk) }
        return min(usual, max(shrunk, farConfirmSeconds))
    }

    /// Whether a fix is so far beyond a line that no second fix is needed.
    func isFarBeyond(_ fix: Fix, _ beyond: Int32) -> Bool {
        beyond >= farCentimetres
            && Int64(beyond)
                >= Int64(accuracy(fix.accuracyCentimetres)) * Int64(farAccuracyFactor)
    }

    /// How long to wait for a second fix, seconds.
    ///
    /// - Parameter silent: the current or usual interval between fixes, seconds.
    func confirmSeconds(after silent: Int64) -> Int64 {
        min(max(silent + silent / confirmParts, confirmSecondsMin), confirmSecondsMax)
    }

    /// Whether a fix reports that its phone is moving.
    func isMoving(_ fix: Fix) -> Bool {
        fix.speedCentimetresPerSecond.map { $0 >= movingSpeed } ?? false
    }

    /// The reported accuracy, or the assumed one if there is none, centimetres.
    func accuracy(_ reported: Int32) -> Int32 {
        reported > 0 ? reported : unknownAccuracyCentimetres
    }
}
