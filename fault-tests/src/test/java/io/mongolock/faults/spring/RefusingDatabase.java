package io.mongolock.faults.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;

import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonDocument;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.mongodb.MongoDatabaseFactory;

/**
 * A database whose user lacks some rights, for a server without authentication.
 */
final class RefusingDatabase {

	private static final Set<Class<?>> FOLLOWED = Set.of(MongoDatabaseFactory.class, MongoDatabase.class,
			MongoCollection.class);

	private final Set<String> refused;

	private RefusingDatabase(Set<String> refused) {
		this.refused = refused;
	}

	/**
	 * Take rights away.
	 * @param factory leads to the database
	 * @param methods the methods of the driver that are refused, such as
	 * {@code createIndex}
	 * @return leads to the same database without these rights
	 */
	static MongoDatabaseFactory refuse(MongoDatabaseFactory factory, String... methods) {
		return (MongoDatabaseFactory) new RefusingDatabase(Set.of(methods)).follow(MongoDatabaseFactory.class, factory);
	}

	private Object follow(Class<?> type, Object target) {
		return Proxy.newProxyInstance(ProxyFactory.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, args) -> invoke(target, method, args));
	}

	private Object invoke(Object target, Method method, Object[] args) throws Throwable {
		if (this.refused.contains(method.getName())) {
			throw new MongoCommandException(BsonDocument.parse(
					"{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on test to execute command'}"),
					new ServerAddress());
		}
		try {
			Object result = method.invoke(target, args);
			return (FOLLOWED.contains(method.getReturnType())) ? follow(method.getReturnType(), result) : result;
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
