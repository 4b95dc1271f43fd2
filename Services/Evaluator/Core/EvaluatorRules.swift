import Model

/// The numbers that decisions depend on, in integers.
///
/// Part of the logic's version: they never come from a service's configuration.
public struct EvaluatorRules: Hashable, Sendable {
    /// Assumed where a fix does not tell its accuracy, centimetres.
    public var unknownAccuracyCentimetres: Int32 = 5000
    /// How much of the accuracy becomes margin, percent. Phones give the radius that holds 68 % of
    /// fixes; twice that holds 98 %, and noise as wide as the accuracy cannot cross an alert
    /// zone's band to and fro wherever the person stands.
    public var accuracyFactorPercent: Int32 = 200
    /// Accuracy asks for no larger margin than this, or than itself where that is more,
    /// centimetres: nobody leaves a zone that the fix's own circle still reaches.
    public var accuracyMarginCentimetresMax: Int32 = 20_000
    /// Who is farther beyond than so many times what accuracy would ask for without a limit, and
    /// moves, has left by one fix.
    public var sureMarginFactor: Int32 = 2
    /// Whose phone tells this speed is on the way, centimetres a second: a slow walk. Whoever
    /// stands still does not leave by one fix, however sure it claims to be of itself.
    public var movingSpeed: Int32 = 100
    /// Who is beyond by one fix has left if no other comes for a little longer than the phone is
    /// silent as a rule, so that the next report decides where there is one; for so long at least,
    /// seconds: a little longer than phones are told to be silent.
    public var confirmSecondsMin: Int64 = 200
    /// A little longer: by so many parts of it.
    public var confirmParts: Int64 = 9
    /// For so long at most, seconds: a little longer than a phone may be silent that is heard of at
    /// all, 30 min.
    public var confirmSecondsMax: Int64 = 2000
    /// With each fix a longer silence before counts less by so many parts of it: phones that report
    /// by the clock also report between.
    public var silenceParts: Int32 = 32
    /// A fix that is worse enters no safe zone of a smaller inradius, centimetres.
    public var safeAccuracyCentimetresMax: Int32 = 10_000
    /// A fix that is worse does not enter an alert zone of less than half that inradius.
    public var alertAccuracyCentimetresMax: Int32 = 30_000
    /// Beyond a line by as much as the accuracy, one fix waits for so long, seconds; by twice as
    /// much, half as long, and so on: 60 s at 250 m with an accuracy of 10 m.
    public var leaveScaleSeconds: Int64 = 1500
    /// It waits for so long at least, seconds, until it is far beyond.
    public var farConfirmSeconds: Int64 = 60
    /// Far beyond a line, centimetres, and so many times the accuracy: nothing is waited for.
    public var farCentimetres: Int32 = 100_000
    public var farAccuracyFactor: Int32 = 10
    /// Who is inside a safe zone by more than the margin of a fix that no other agrees with, or by
    /// less than the margin, has entered when fixes agree for so long, seconds: in a zone that is
    /// too small for the margin, and in others.
    public var smallZoneSeconds: Int64 = 60
    public var shallowSeconds: Int64 = 300
    /// Ways agree with a speed up to so many percent more.
    public var toldWayPercent: Int32 = 150
    /// Assumed acceleration from rest of a person without a known speed, centimetres per second per
    /// second: that of a train.
    public var leavingAcceleration: Int32 = 100
    /// The same before entering a safe zone: less, because "entered" reassures and the next fix
    /// decides.
    public var enteringAcceleration: Int32 = 50
    /// Fixes that agree with each other in speed and direction are believed up to this speed,
    /// centimetres a second, if they differ by no more than so many percent.
    public var steadySpeedMax: Int32 = 35_000
    public var steadyPercent: Int32 = 25
    /// A signal that was raised so long before it arrived is late: it knows no countdown. Seconds.
    public var lateSignalSeconds: Int64 = 300
    /// Alarms ring no longer without a fix for so long, seconds.
    public var alarmFixSecondsMax: Int64 = 1800
    /// Rings of a zone are at least so far apart, seconds.
    public var alarmCycleSecondsMin: Int64 = 10
    /// Those of hints to phones.
    public var reporting = ReportingRules()
    /// Those of silences and batteries.
    public var silence = SilenceRules()
    /// Who seems to move faster than this did not, centimetres a second.
    public var speedMax: Int32 = 7000
    /// Where both fixes tell their speed, nor so many times the larger and a bit more.
    public var speedFactor: Int32 = 3
    /// The bit more, centimetres a second.
    public var speedAllowance: Int32 = 1500
    /// That is so for fixes that are no farther apart than this, seconds.
    public var toldSpeedSecondsMax: Int64 = 60
    /// A suspect that no other fix follows for so long is believed, seconds.
    public var suspectSeconds: Int64 = 1800
    /// In an emergency, seconds.
    public var suspectSecondsInEmergency: Int64 = 180
    /// The way between two fixes says something if no more time is between them, seconds.
    public var waySecondsMax: Int64 = 300
    /// A fix no older than this is contact, seconds.
    public var contactSeconds: Int64 = 900

    public init() {}

    /// Beyond the edge by more than this counts, centimetres: the zone's hysteresis or the fix's
    /// accuracy, whichever is larger.
    ///
    /// - Parameter inradius: the zone's, centimetres; a fix that is too inaccurate for it asks for
    ///   the whole margin.
    public func margin(
        hysteresisMetres: Int32, accuracyCentimetres told: Int32, inradius: Int32 = .max
    ) -> Int32 {
        let accuracy = accuracy(told)
        if accuracy > safeAccuracyMax(inradiusCentimetres: inradius) {
            return larger(hysteresisMetres, asked(told))
        }
        let limit = max(accuracyMarginCentimetresMax, accuracy)
        return larger(hysteresisMetres, min(asked(told), Int64(limit)))
    }

    /// Beyond by more than this, one fix of somebody who moves is enough to leave, centimetres.
    public func sureMargin(hysteresisMetres: Int32, accuracyCentimetres told: Int32) -> Int32 {
        larger(hysteresisMetres, asked(told) * Int64(sureMarginFactor))
    }

    /// What accuracy would ask for without a limit, centimetres.
    private func asked(_ told: Int32) -> Int64 {
        Int64(accuracy(told)) * Int64(accuracyFactorPercent) / 100
    }

    private func larger(_ hysteresisMetres: Int32, _ accurate: Int64) -> Int32 {
        Int32(min(max(Int64(hysteresisMetres) * 100, accurate), EvaluatorRules.marginMax))
    }

    /// No edge is so far away, and an alert distance can be added to it, centimetres.
    private static let marginMax: Int64 = 2_040_000_000

    /// How long a phone is silent as a rule, after a fix: the longest of late, seconds.
    ///
    /// - Parameters:
    ///   - usual: what it was before
    ///   - silent: from the fix before to this one, seconds
    @inline(__always)
    func usualSilence(_ usual: Int32, after silent: Int64) -> Int32 {
        guard silent > 0 else { return usual }
        return max(Int32(min(silent, confirmSecondsMax)), usual - usual / silenceParts)
    }

    /// The worst accuracy by which somebody can enter a safe zone, centimetres.
    func safeAccuracyMax(inradiusCentimetres: Int32) -> Int32 {
        max(safeAccuracyCentimetresMax, inradiusCentimetres)
    }

    /// The worst accuracy by which an alert zone alarms, centimetres.
    func alertAccuracyMax(inradiusCentimetres: Int32) -> Int32 {
        Int32(clamping: max(Int64(alertAccuracyCentimetresMax), 2 * Int64(inradiusCentimetres)))
    }

    /// Whether a fix is too inaccurate for a zone.
    func isCoarse(_ fix: Fix, _ kind: ZoneKind, inradiusCentimetres: Int32) -> Bool {
        let limit =
            switch kind {
            case .safe: safeAccuracyMax(inradiusCentimetres: inradiusCentimetres)
            case .alert: alertAccuracyMax(inradiusCentimetres: inradiusCentimetres)
            }
        return accuracy(fix.accuracyCentimetres) > limit
    }

    /// How long to wait for another fix before somebody has left by one, seconds: shorter, the
    /// farther beyond the line the fix is, in parts of its accuracy.
    ///
    /// - Parameters:
    ///   - beyond: the line, centimetres
    ///   - usual: the wait for a fix of which nothing more is known, seconds
    ///   - isCoarse: too inaccurate for the zone: its wait never shrinks
    func leaveSeconds(_ fix: Fix, beyond: Int32, usual: Int64, isCoarse: Bool) -> Int64 {
        guard beyond > 0 else { return usual }
        let shrunk = leaveScaleSeconds * Int64(accuracy(fix.accuracyCentimetres)) / Int64(beyond)
        if isCoarse { return max(usual, shrunk) }
        return min(usual, max(shrunk, farConfirmSeconds))
    }

    /// Whether a fix is so far beyond a line that nothing is waited for.
    func isFarBeyond(_ fix: Fix, _ beyond: Int32) -> Bool {
        beyond >= farCentimetres
            && Int64(beyond)
                >= Int64(accuracy(fix.accuracyCentimetres)) * Int64(farAccuracyFactor)
    }

    /// How long a second fix is waited for, seconds.
    ///
    /// - Parameter silent: how long the phone was or is as a rule, seconds
    func confirmSeconds(after silent: Int64) -> Int64 {
        min(max(silent + silent / confirmParts, confirmSecondsMin), confirmSecondsMax)
    }

    /// Whether a fix tells that its phone moves.
    func isMoving(_ fix: Fix) -> Bool {
        fix.speedCentimetresPerSecond.map { $0 >= movingSpeed } ?? false
    }

    /// What is assumed where none is told.
    func accuracy(_ told: Int32) -> Int32 { told > 0 ? told : unknownAccuracyCentimetres }
}
