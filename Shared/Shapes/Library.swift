import CGEOS

/// A GEOS context that owns the geometries created in it and collects its errors.
final class Library {
    let context: GEOSContextHandle_t
    /// GEOS' last error message.
    fileprivate(set) var lastError = ""
    private var owned: [OpaquePointer] = []

    init() {
        context = GEOS_init_r()
        let owner = Unmanaged.passUnretained(self).toOpaque()
        _ = GEOSContext_setErrorMessageHandler_r(context, keepError, owner)
    }

    deinit {
        for geometry in owned.reversed() { GEOSGeom_destroy_r(context, geometry) }
        GEOS_finish_r(context)
    }

    /// Takes ownership of a geometry until the context is destroyed.
    func keep(_ geometry: OpaquePointer?) -> OpaquePointer? {
        if let geometry { owned.append(geometry) }
        return geometry
    }

    /// Releases a geometry to a GEOS call that takes ownership.
    func release(_ geometry: OpaquePointer) -> OpaquePointer {
        owned.removeAll { $0 == geometry }
        return geometry
    }
}

private func keepError(_ message: UnsafePointer<CChar>?, _ owner: UnsafeMutableRawPointer?) {
    guard let message, let owner else { return }
    let library = Unmanaged<Library>.fromOpaque(owner).takeUnretainedValue()
    library.lastError = String(cString: message)
}
