import Geometry
import Model

/// Whether a person is inside of a zone after a fix, and why.
struct ZoneVerdict: Hashable {
    let isInside: Bool
    let reason: CrossingReason
    let distance: SignedDistance
    /// The margin that the fix had to be beyond, centimetres.
    let margin: Int32

    /// - Parameters:
    ///   - inradiusCentimetres: the zone's
    ///   - margin: what hysteresis and accuracy ask for, centimetres.
    ///   - wasInside: nil for the first decision about this person and zone.
    init(
        distance: SignedDistance, kind: ZoneKind, inradiusCentimetres: Int32, margin: Int32,
        wasInside: Bool?
    ) {
        self.distance = distance
        let beyond = distance.centimetres
        switch (wasInside, kind) {
        case (nil, _):
            isInside = kind == .alert ? beyond <= 0 : distance.isInside
            reason = .initial
            self.margin = 0
        case (true?, _):
            isInside = beyond <= margin
            reason = .outsideBeyondMargin
            self.margin = margin
        case (false?, .alert):
            isInside = beyond <= 0
            reason = .onEdgeOfAlertZone
            self.margin = 0
        case (false?, .safe):
            // A small zone would never be entered with a large margin.
            self.margin = min(margin, inradiusCentimetres / 4)
            isInside = beyond < -self.margin
            reason = .insideBeyondMargin
        }
    }
}
