package io.mongolock.faults.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Makes connections that commit and then lose the answer and everything after it, when
 * told to: the caller cannot know how the transaction ended.
 */
final class ForgetfulDataSource extends DelegatingDataSource {

	private volatile boolean forgetful;

	ForgetfulDataSource(DataSource target) {
		super(target);
	}

	void setForgetful(boolean forgetful) {
		this.forgetful = forgetful;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, args) -> invoke(connection, method, args));
	}

	private Object invoke(Connection connection, Method method, Object[] args) throws Throwable {
		boolean rollback = method.getName().equals("rollback");
		if (this.forgetful && rollback) {
			throw new SQLException("No connection to roll back", "08003");
		}
		try {
			Object result = method.invoke(connection, args);
			if (this.forgetful && method.getName().equals("commit")) {
				throw new SQLException("No answer to the commit", "08007");
			}
			return result;
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
