import EvaluatorCore
import Model
import Parsing

/// Renders a decision about a person and a zone for people, as far as the reader may know it.
struct DecisionText {
    /// Suffixes of event types after `jaga.zone.`.
    enum Kind: String, CaseIterable {
        case entered, exited, approached, dwelled, suppressed, absent
        case presenceEstablished = "presence-established"
        case leftVicinity = "left-vicinity"
        case presenceCleared = "presence-cleared"
    }

    private let kind: Kind
    private let at: Timestamp
    /// Nil if the reader may not know it.
    private var zoneName: String?
    private var before = Presence.unknown
    private var after = Presence.unknown
    private var reason: CrossingReason?
    /// Distance to the edge, negative inside; nil if the reader may not know positions.
    private var distanceCentimetres: Int64?
    private var marginCentimetres: Int64 = 0
    /// 0 = unknown.
    private var accuracyCentimetres: Int64 = 0
    private var fixTime: Timestamp?
    /// For an absence: its deadline, and whether there was a recent fix.
    private var by: Timestamp?
    private var hasContact = true

    init(_ kind: Kind, _ crossing: ZoneCrossing, at time: Timestamp) {
        self.kind = kind
        at = time
        zoneName = crossing.zoneName
        before = crossing.before
        after = crossing.after
        reason = crossing.reason
        distanceCentimetres = Int64(crossing.distanceCentimetres)
        marginCentimetres = Int64(crossing.marginCentimetres)
        accuracyCentimetres = Int64(crossing.fix.accuracyCentimetres)
        fixTime = crossing.fix.time
    }

    init(_ absence: ZoneAbsence, at time: Timestamp) {
        kind = .absent
        at = time
        zoneName = absence.zoneName
        fixTime = absence.fix?.time
        by = absence.by
        hasContact = absence.hasContact
    }

    /// The effect of a fix on presence in a zone.
    init(_ look: ZoneExplanation, _ fix: Fix) {
        kind = look.after == look.before ? .suppressed : .presenceEstablished
        at = fix.time
        zoneName = look.name
        before = look.before
        after = look.after
        reason = look.reason
        distanceCentimetres = Int64(look.distanceCentimetres)
        marginCentimetres = Int64(look.marginCentimetres)
        accuracyCentimetres = Int64(fix.accuracyCentimetres)
    }

    /// Reads an item of `/v1/people/{person}/decisions`; nil if its kind is unknown.
    init?(_ item: JSON) {
        guard let kind = item["kind"]?.string.flatMap(Kind.init),
            let at = DecisionText.time(item["at"])
        else { return nil }
        self.kind = kind
        self.at = at
        zoneName = item["zone"]?["name"]?.string?.onOneLine
        before = item["before"]?.string.flatMap(Presence.init) ?? .unknown
        after = item["after"]?.string.flatMap(Presence.init) ?? .unknown
        reason = item["reason"]?.string.flatMap(CrossingReason.init)
        distanceCentimetres = DecisionText.centimetres(item["distance"])
        marginCentimetres = DecisionText.centimetres(item["margin"]) ?? 0
        accuracyCentimetres = DecisionText.centimetres(item["fix"]?["accuracy"]) ?? 0
        fixTime = DecisionText.time(item["fix"]?["time"])
        by = DecisionText.time(item["by"])
        hasContact = item["contact"]?.bool ?? true
    }

    private static func time(_ json: JSON?) -> Timestamp? { json?.string.flatMap { Timestamp($0) } }

    private static func centimetres(_ json: JSON?) -> Int64? {
        json?.double.flatMap { Int64(exactly: ($0 * 100).rounded()) }
    }

    /// Decision and reason, such as `entered School (outside → inside): 100 m inside; …`.
    var line: String {
        if kind == .absent { return absence }
        let change =
            kind == .suppressed
            ? "stays \(before.rawValue)" : "\(before.rawValue) → \(after.rawValue)"
        let old = age.map { "; fix was \($0) old" } ?? ""
        return "\(head) (\(change)): \(why)\(old)"
    }

    private var zone: String { zoneName ?? "a small zone" }

    private var head: String {
        switch kind {
        case .entered: "entered \(zone)"
        case .exited: "left \(zone)"
        case .presenceEstablished: "found \(after == .inside ? "in" : after.rawValue) \(zone)"
        case .approached: "came near \(zone)"
        case .leftVicinity: "left the vicinity of \(zone)"
        case .presenceCleared: "presence cleared in \(zone)"
        case .dwelled: "stayed in \(zone)"
        case .suppressed: "suppressed at \(zone)"
        case .absent: ""
        }
    }

    private var absence: String {
        let when = by.map { " at \($0)" } ?? ""
        guard !hasContact else { return "not in \(zone)\(when)" }
        let since = fixTime.map { "no contact since \($0)" } ?? "no fix yet"
        return "\(since): presence in \(zone)\(when) is unknown"
    }

    // MARK: Why

    /// The reason of the decision.
    var why: String {
        switch reason {
        case .initial:
            place("somewhere")
                + (before == .unknown
                    ? ", the first decision about this zone"
                    : " by the first fix of a new primary phone")
        case .insideBeyondMargin: enough(else: "far enough inside to be sure")
        case .outsideBeyondMargin: enough(else: "far enough outside to be sure")
        case .onEdgeOfAlertZone:
            "\(place("in it")); an alert zone counts from its edge on"
        case .withinAlertDistance: "\(place("outside")), within the alert distance"
        case .beyondAlertDistance: away
        case .passedThrough: "the path between two fixes crosses the zone, though neither is inside"
        case .stayed: "\(place("inside")), for the zone's dwell time"
        case .zoneChanged: "\(place("it")): the zone was changed, the person did not move"
        case .scheduleOpened: "\(place("found so")) after the zone's schedule opened"
        case .scheduleClosed: "\(place("there")) when the zone's schedule closed"
        case .notApplicable:
            "\(place("there")): the zone no longer applies; the person did not move"
        case .withinMargin: notEnough
        case .tooCoarse: tooCoarse
        case .unconfirmed: unconfirmed
        case .uncontradicted:
            "\(place("far enough outside")) by one fix, accepted because no other came"
        case .suspect:
            "\(place("seen")) by a fix too far from the previous one; the next fix decides"
        case .silence:
            "\(place("seen")) by a fix too far from the previous one, accepted as no other came"
        case nil: "unknown reason"
        }
    }

    private func enough(else text: String) -> String {
        guard distanceCentimetres != nil else { return text }
        return "\(place("")); \(basis) more than \(metres(marginCentimetres)) counts"
    }

    private var away: String {
        guard distanceCentimetres != nil else { return "well beyond the alert distance" }
        return "\(place("")); \(basis) more than \(metres(marginCentimetres)) beyond the alert "
            + "distance counts"
    }

    private var notEnough: String {
        guard let distance = distanceCentimetres else {
            return "over the edge, but not far enough to be sure"
        }
        let isLeavingNear = before == .near && distance > 0
        return place("") + (isLeavingNear ? " and beyond the alert distance" : "")
            + ", but \(basis) only more than \(metres(marginCentimetres))"
            + (isLeavingNear ? " beyond it" : "") + " would count"
    }

    private var unconfirmed: String {
        guard distanceCentimetres != nil else {
            return "far enough, but one fix is not enough; the next fix decides, "
                + "or none comes"
        }
        let isLeavingNear = before == .near
        if distanceCentimetres.map({ $0 <= 0 }) == true, before != .inside {
            return place("") + ", but one fix is enough to enter only if it is more than "
                + metres(marginCentimetres) + " inside and not too far from the previous fix; "
                + "the next decides"
        }
        return place("") + ", but \(basis) one fix is enough only beyond "
            + metres(marginCentimetres) + (isLeavingNear ? " more than the alert distance" : "")
            + ", if the person moves and could have come so far; the next fix decides, "
            + "or none comes"
    }

    private var tooCoarse: String {
        guard distanceCentimetres != nil else {
            return "the fix is too inaccurate for a zone of this size"
        }
        return "\(place("")), but an accuracy of \(metres(knownAccuracy)) is too little for a zone "
            + "of this size"
    }

    /// The accuracy, or the assumed one if the fix has none.
    private var knownAccuracy: Int64 {
        accuracyCentimetres > 0
            ? accuracyCentimetres : Int64(EvaluatorRules().unknownAccuracyCentimetres)
    }

    /// Distance to the edge, such as `12 m outside`, with the accuracy if that is worse.
    func place(_ unseen: String) -> String {
        guard let distance = distanceCentimetres else { return unseen }
        let words =
            distance == 0
            ? "at the edge" : metres(distance) + (distance < 0 ? " inside" : " outside")
        guard knownAccuracy > Int64(distance.magnitude), !namesAccuracy else { return words }
        return "\(words) (± \(metres(knownAccuracy)))"
    }

    /// Whether the reason mentions the accuracy itself.
    private var namesAccuracy: Bool {
        switch reason {
        case .tooCoarse: true
        case .withinMargin, .unconfirmed, .insideBeyondMargin, .outsideBeyondMargin,
            .beyondAlertDistance:
            basis.hasPrefix("with")
        default: false
        }
    }

    /// The origin of the margin: the fix's accuracy, the zone's hysteresis, or its small size.
    private var basis: String {
        let accuracy = Int32(clamping: accuracyCentimetres)
        let rules = EvaluatorRules()
        let isSure = reason == .unconfirmed
        let required =
            isSure
            ? rules.sureMargin(hysteresisMetres: 0, accuracyCentimetres: accuracy)
            : rules.margin(hysteresisMetres: 0, accuracyCentimetres: accuracy)
        if marginCentimetres > Int64(required) { return "in this zone" }
        if marginCentimetres < Int64(required), !isSure { return "in a zone so small" }
        return accuracyCentimetres > 0
            ? "with an accuracy of \(metres(accuracyCentimetres))" : "with an unknown accuracy"
    }

    /// Age of the fix, if at least a minute.
    private var age: String? {
        guard let fixTime, at - fixTime >= .seconds(60) else { return nil }
        let minutes = (at - fixTime).milliseconds / 60_000
        return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
    }

    /// Absolute distance in metres, with one decimal if it is not zero.
    func metres(_ centimetres: Int64) -> String {
        let tenths = (abs(centimetres) + 5) / 10
        return tenths % 10 == 0 ? "\(tenths / 10) m" : "\(tenths / 10).\(tenths % 10) m"
    }
}
