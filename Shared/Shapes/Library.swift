import CGEOS

/// A context of GEOS: its errors stay with it, and everything made in it goes with it.
final class Library {
    let context: GEOSContextHandle_t
    /// What GEOS said last, for people.
    fileprivate(set) var lastError = ""
    private var made: [OpaquePointer] = []

    init() {
        context = GEOS_init_r()
        let here = Unmanaged.passUnretained(self).toOpaque()
        _ = GEOSContext_setErrorMessageHandler_r(context, keepError, here)
    }

    deinit {
        for geometry in made.reversed() { GEOSGeom_destroy_r(context, geometry) }
        GEOS_finish_r(context)
    }

    /// Keeps a geometry until the library goes; nil stays nil.
    func keep(_ geometry: OpaquePointer?) -> OpaquePointer? {
        if let geometry { made.append(geometry) }
        return geometry
    }

    /// Hands a geometry over to a GEOS call that owns it from now on.
    func giveAway(_ geometry: OpaquePointer) -> OpaquePointer {
        made.removeAll { $0 == geometry }
        return geometry
    }
}

private func keepError(_ message: UnsafePointer<CChar>?, _ owner: UnsafeMutableRawPointer?) {
    guard let message, let owner else { return }
    let library = Unmanaged<Library>.fromOpaque(owner).takeUnretainedValue()
    library.lastError = String(cString: message)
}
