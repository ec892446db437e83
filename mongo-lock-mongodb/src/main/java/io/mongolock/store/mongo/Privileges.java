package io.mongolock.store.mongo;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.bson.Document;

/**
 * The privileges of a user on a collection, read from {@code connectionStatus}. Finds
 * missing privileges, of which the report at the start warns.
 *
 * @param user the name of the user
 * @param userDatabase the user's authentication database
 * @param granted the actions that are granted to the user
 */
record Privileges(String user, String userDatabase, String database, String collection, Set<String> granted) {

	/**
	 * Read an answer.
	 * @return the privileges; empty if the server needs no authentication, or does not
	 * tell
	 */
	static Optional<Privileges> of(Document status, String database, String collection) {
		Document info = status.get("authInfo", new Document());
		List<Document> users = info.getList("authenticatedUsers", Document.class, List.of());
		List<Document> privileges = info.getList("authenticatedUserPrivileges", Document.class);
		if (users.isEmpty() || privileges == null) {
			return Optional.empty();
		}
		Set<String> granted = privileges.stream()
			.filter((privilege) -> isOn(privilege.get("resource", Document.class), database, collection))
			.flatMap((privilege) -> privilege.getList("actions", String.class).stream())
			.collect(Collectors.toSet());
		return Optional.of(new Privileges(users.get(0).getString("user"), users.get(0).getString("db"), database,
				collection, granted));
	}

	private static boolean isOn(Document resource, String database, String collection) {
		if (resource.getBoolean("anyResource", false)) {
			return true;
		}
		return isOn(resource.getString("db"), database) && isOn(resource.getString("collection"), collection);
	}

	// An empty name stands for all
	private static boolean isOn(String granted, String name) {
		return granted != null && (granted.isEmpty() || granted.equals(name));
	}

	/**
	 * The commands that grant actions to the user.
	 */
	String grant(List<String> actions) {
		// This role is for the user alone. It may exist already, but lack some actions
		String role = quoted("mongoLock_" + this.user + "_" + this.collection);
		String quoted = actions.stream().map(Privileges::quoted).collect(Collectors.joining(", "));
		return "var mongoLock = db.getSiblingDB(" + quoted(this.database) + "); mongoLock.getRole(" + role
				+ ") || mongoLock.createRole({role: " + role
				+ ", privileges: [], roles: []}); mongoLock.grantPrivilegesToRole(" + role + ", [{resource: {db: "
				+ quoted(this.database) + ", collection: " + quoted(this.collection) + "}, actions: [" + quoted
				+ "]}]); db.getSiblingDB(" + quoted(this.userDatabase) + ").grantRolesToUser(" + quoted(this.user)
				+ ", [{role: " + role + ", db: " + quoted(this.database) + "}])";
	}

	private static String quoted(String name) {
		return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

}
