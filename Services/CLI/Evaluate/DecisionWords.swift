import EvaluatorCore
import Model
import Parsing

/// A decision about a person and a zone in words for people, as far as its reader may know it.
struct DecisionWords {
    /// As types of events end, behind `jaga.zone.`.
    enum Kind: String, CaseIterable {
        case entered, exited, initial, approached, receded, dwelled, forgotten, withheld, absent
    }

    private let kind: Kind
    private let at: Timestamp
    /// Nil where the reader may not know it.
    private var zoneName: String?
    private var before = Presence.unknown
    private var after = Presence.unknown
    private var reason: CrossingReason?
    /// To the edge, negative inside; nil where the reader may not know places.
    private var distanceCentimetres: Int64?
    private var marginCentimetres: Int64 = 0
    /// 0 = the fix tells none.
    private var accuracyCentimetres: Int64 = 0
    private var fixTime: Timestamp?
    /// Of an absence: by when, and whether a fix is new enough to say so.
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

    /// What a fix does to where somebody is.
    init(_ look: ZoneLook, _ fix: Fix) {
        kind = look.after == look.before ? .withheld : .initial
        at = fix.time
        zoneName = look.name
        before = look.before
        after = look.after
        reason = look.reason
        distanceCentimetres = Int64(look.distanceCentimetres)
        marginCentimetres = Int64(look.marginCentimetres)
        accuracyCentimetres = Int64(fix.accuracyCentimetres)
    }

    /// Reads what `/v1/people/{person}/decisions` answers; nil for what this version does not know.
    init?(_ item: JSON) {
        guard let kind = item["kind"]?.string.flatMap(Kind.init),
            let at = DecisionWords.time(item["at"])
        else { return nil }
        self.kind = kind
        self.at = at
        zoneName = item["zone"]?["name"]?.string?.onOneLine
        before = item["before"]?.string.flatMap(Presence.init) ?? .unknown
        after = item["after"]?.string.flatMap(Presence.init) ?? .unknown
        reason = item["reason"]?.string.flatMap(CrossingReason.init)
        distanceCentimetres = DecisionWords.centimetres(item["distance"])
        marginCentimetres = DecisionWords.centimetres(item["margin"]) ?? 0
        accuracyCentimetres = DecisionWords.centimetres(item["fix"]?["accuracy"]) ?? 0
        fixTime = DecisionWords.time(item["fix"]?["time"])
        by = DecisionWords.time(item["by"])
        hasContact = item["contact"]?.bool ?? true
    }

    private static func time(_ json: JSON?) -> Timestamp? { json?.string.flatMap { Timestamp($0) } }

    private static func centimetres(_ json: JSON?) -> Int64? {
        json?.double.flatMap { Int64(exactly: ($0 * 100).rounded()) }
    }

    /// What was decided, and why, such as `entered School (outside → inside): 100 m inside; …`.
    var line: String {
        if kind == .absent { return absence }
        let change =
            kind == .withheld
            ? "stays \(before.rawValue)" : "\(before.rawValue) → \(after.rawValue)"
        let old = age.map { "; by a fix \($0) old" } ?? ""
        return "\(head) (\(change)): \(why)\(old)"
    }

    private var zone: String { zoneName ?? "a small zone" }

    private var head: String {
        switch kind {
        case .entered: "entered \(zone)"
        case .exited: "left \(zone)"
        case .initial: "found \(after == .inside ? "in" : after.rawValue) \(zone)"
        case .approached: "came near \(zone)"
        case .receded: "went away from \(zone)"
        case .forgotten: "no longer judged by \(zone)"
        case .dwelled: "stayed in \(zone)"
        case .withheld: "held back at \(zone)"
        case .absent: ""
        }
    }

    private var absence: String {
        let when = by.map { " at \($0)" } ?? ""
        guard !hasContact else { return "not in \(zone)\(when)" }
        let since = fixTime.map { "no contact since \($0)" } ?? "there never was a fix"
        return "\(since): whether in \(zone)\(when) is not known"
    }

    // MARK: Why

    /// Why it was decided so.
    var why: String {
        switch reason {
        case .initial:
            place("somewhere")
                + (before == .unknown
                    ? ", the first decision about this zone"
                    : " by the first fix of another phone that leads now")
        case .insideBeyondMargin: enough(else: "far enough inside to be sure")
        case .outsideBeyondMargin: enough(else: "far enough outside to be sure")
        case .onEdgeOfAlertZone:
            "\(place("in it")); an alert zone counts from its edge on"
        case .withinAlertDistance: "\(place("outside")), within the alert distance"
        case .beyondAlertDistance: away
        case .passedThrough: "the way between two fixes leads through, though neither is inside"
        case .stayed: "\(place("inside")), for as long as the zone asks for"
        case .zoneChanged: "\(place("it")): the zone was changed, nobody moved"
        case .scheduleOpened: "\(place("found so")) after the zone's hours began"
        case .scheduleClosed: "\(place("there")) when the zone's hours ended"
        case .notJudged:
            "\(place("there")): the zone is gone, refused or not shared with; nobody moved"
        case .withinMargin: notEnough
        case .tooCoarse: tooCoarse
        case .unconfirmed: unconfirmed
        case .uncontradicted:
            "\(place("far enough outside")) by one fix, believed as no other came"
        case .suspect:
            "\(place("seen")) by a fix too far from the one before it; the next decides"
        case .silence:
            "\(place("seen")) by a fix too far from the one before it, believed as no other came"
        case nil: "for a reason that this version does not know"
        }
    }

    private func enough(else words: String) -> String {
        guard distanceCentimetres != nil else { return words }
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
            return "far enough, but one fix is not enough to be sure; the next decides, "
                + "or that none comes"
        }
        let isLeavingNear = before == .near
        if distanceCentimetres.map({ $0 <= 0 }) == true, before != .inside {
            return place("") + ", but one fix is enough to enter only if it is more than "
                + metres(marginCentimetres) + " inside and not too far from the fix before; "
                + "the next decides"
        }
        return place("") + ", but \(basis) one fix is enough only beyond "
            + metres(marginCentimetres) + (isLeavingNear ? " more than the alert distance" : "")
            + ", and of somebody who moves and can have come so far; the next decides, "
            + "or that none comes"
    }

    private var tooCoarse: String {
        guard distanceCentimetres != nil else {
            return "the fix is too inaccurate for a zone of this size"
        }
        return "\(place("")), but an accuracy of \(metres(knownAccuracy)) is too little for a zone "
            + "of this size"
    }

    /// What is assumed where the fix reports none.
    private var knownAccuracy: Int64 {
        accuracyCentimetres > 0
            ? accuracyCentimetres : Int64(EvaluatorRules().unknownAccuracyCentimetres)
    }

    /// Such as `12 m outside`, with the accuracy where that is worse.
    func place(_ unseen: String) -> String {
        guard let distance = distanceCentimetres else { return unseen }
        let words =
            distance == 0
            ? "at the edge" : metres(distance) + (distance < 0 ? " inside" : " outside")
        guard knownAccuracy > Int64(distance.magnitude), !namesAccuracy else { return words }
        return "\(words) (± \(metres(knownAccuracy)))"
    }

    /// Whether the reason names the accuracy anyway.
    private var namesAccuracy: Bool {
        switch reason {
        case .tooCoarse: true
        case .withinMargin, .unconfirmed, .insideBeyondMargin, .outsideBeyondMargin,
            .beyondAlertDistance:
            basis.hasPrefix("with")
        default: false
        }
    }

    /// What the margin comes from: the fix's accuracy, the zone's hysteresis, or how small it is.
    private var basis: String {
        let told = Int32(clamping: accuracyCentimetres)
        let rules = EvaluatorRules()
        let isSure = reason == .unconfirmed
        let asked =
            isSure
            ? rules.sureMargin(hysteresisMetres: 0, accuracyCentimetres: told)
            : rules.margin(hysteresisMetres: 0, accuracyCentimetres: told)
        if marginCentimetres > Int64(asked) { return "in this zone" }
        if marginCentimetres < Int64(asked), !isSure { return "in a zone so small" }
        return accuracyCentimetres > 0
            ? "with an accuracy of \(metres(accuracyCentimetres))" : "with an unknown accuracy"
    }

    /// How old the fix was, where that is a minute or more.
    private var age: String? {
        guard let fixTime, at - fixTime >= .seconds(60) else { return nil }
        let minutes = (at - fixTime).milliseconds / 60_000
        return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
    }

    /// How many metres, however signed: one digit behind the point, where there is one.
    func metres(_ centimetres: Int64) -> String {
        let tenths = (abs(centimetres) + 5) / 10
        return tenths % 10 == 0 ? "\(tenths / 10) m" : "\(tenths / 10).\(tenths % 10) m"
    }
}
