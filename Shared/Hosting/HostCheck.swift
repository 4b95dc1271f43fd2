import Bus
import Runtime
import Store

extension Host {
    /// Checks what may prevent a service from starting, in the order of a start: keys, secrets,
    /// folder and store.
    ///
    /// It changes nothing, except that it creates and removes an empty file to test the folder. The
    /// service may be running.
    ///
    /// - Throws: the error that the start would throw
    static func check(_ definition: ServiceDefinition, _ configuration: Configuration) throws {
        try HostParts.refuseUnprotected(configuration, Topology(configuration))
        if HostParts.keysToMake(definition, configuration, Topology(configuration)) == nil {
            _ = try BusSecurity.read(configuration, role: definition.name.role)
        }
        try definition.check(configuration)
        guard definition.isDurable else { return }
        try UnfinishedRestore.refuse(
            home: configuration.text("JAGA_HOME"), service: definition.name.rawValue)
        let folder = HostParts.folder(definition, configuration)
        try Files.checkWritable(in: folder)
        let store = HostParts.store(in: folder)
        guard Files.exists(store) else { return }
        try Database.check(store, HostParts.migrations(definition))
        try definition.checkStore(configuration, Database(reading: store))
    }
}
