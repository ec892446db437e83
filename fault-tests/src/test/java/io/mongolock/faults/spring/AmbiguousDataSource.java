package io.mongolock.faults.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Loses the connection with the answer to a commit, when told to: the commit has
 * happened, and the outcome is unknown.
 */
class AmbiguousDataSource extends DelegatingDataSource {

	private final AtomicBoolean losing = new AtomicBoolean();

	AmbiguousDataSource(DataSource target) {
		super(target);
	}

	void loseNextCommitAnswer() {
		this.losing.set(true);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		AtomicBoolean lost = new AtomicBoolean();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, args) -> {
					boolean commit = method.getName().equals("commit");
					if (lost.get() && method.getName().equals("rollback")) {
						throw new SQLException("The connection is gone", "08003");
					}
					Object result = invoke(() -> method.invoke(connection, args));
					if (commit && this.losing.compareAndSet(true, false)) {
						lost.set(true);
						throw new SQLException("No answer to the commit", "08007");
					}
					return result;
				});
	}

	private static Object invoke(Call call) throws Throwable {
		try {
			return call.run();
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	@FunctionalInterface
	private interface Call {

		Object run() throws ReflectiveOperationException;

	}

}
