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
    /// A signal that was raised so long before it arrived is late: it knows no countdown. Seconds.
    public var lateSignalSeconds: Int64 = 300
    /// Alarms ring no longer without a fix for so long, seconds.
    public var alarmFixSecondsMax: Int64 = 1800
    /// Rings of a zone are at least so far apart, seconds.
    public var alarmCycleSecondsMin: Int64 = 10
    /// Those of hints to phones.
    public var reporting = ReportingRules()

    public init() {}

    /// Beyond the edge by more than this counts, centimetres: the zone's hysteresis or the fix's
    /// accuracy, whichever is larger.
    func margin(hysteresisMetres: Int, accuracyCentimetres: Int32) -> Int32 {
        let known = accuracyCentimetres > 0 ? accuracyCentimetres : unknownAccuracyCentimetres
        let asked = Int64(known) * Int64(accuracyFactorPercent) / 100
        let hysteresis = Int64(min(max(0, hysteresisMetres), 1_000_000)) * 100
        return Int32(clamping: max(hysteresis, min(asked, Int64(accuracyMarginCentimetresMax))))
    }
}
