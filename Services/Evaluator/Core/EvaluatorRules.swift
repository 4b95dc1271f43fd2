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
    /// Accuracy asks for no larger margin than this, centimetres.
    public var accuracyMarginCentimetresMax: Int32 = 20_000
    /// Who is farther beyond than so many times what accuracy asks for has left by one fix.
    public var sureMarginFactor: Int32 = 2
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
    func margin(hysteresisMetres: Int32, accuracyCentimetres: Int32) -> Int32 {
        margin(hysteresisMetres, accuracyCentimetres, times: 1)
    }

    /// Beyond by more than this, one fix is enough to leave, centimetres.
    func sureMargin(hysteresisMetres: Int32, accuracyCentimetres: Int32) -> Int32 {
        margin(hysteresisMetres, accuracyCentimetres, times: Int64(sureMarginFactor))
    }

    private func margin(_ hysteresisMetres: Int32, _ told: Int32, times factor: Int64) -> Int32 {
        let asked = Int64(accuracy(told)) * Int64(accuracyFactorPercent) / 100
        let accurate = min(asked, Int64(accuracyMarginCentimetresMax))
        return Int32(clamping: max(Int64(hysteresisMetres) * 100, accurate * factor))
    }

    /// What is assumed where none is told.
    func accuracy(_ told: Int32) -> Int32 { told > 0 ? told : unknownAccuracyCentimetres }
}
