package io.mongolock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.UUID;

import org.springframework.core.env.Environment;

import io.mongolock.LockOwner;

/**
 * Describes this application as the owner of its locks.
 */
final class LockOwnerFactory {

	private LockOwnerFactory() {
	}

	static LockOwner create(Environment environment) {
		String instance = UUID.randomUUID().toString().substring(0, 8);
		return new LockOwner(environment.getProperty("spring.application.name", ""), instance, host(System.getenv()),
				ProcessHandle.current().pid(), "");
	}

	static String host(Map<String, String> variables) {
		// If the system knows the host name, we need not query a name server
		String host = variables.getOrDefault("HOSTNAME", variables.getOrDefault("COMPUTERNAME", ""));
		if (!host.isBlank()) {
			return host;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "";
		}
	}

}
