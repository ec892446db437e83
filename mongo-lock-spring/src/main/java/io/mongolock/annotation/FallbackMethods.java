package io.mongolock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.mongolock.LockUnavailableException;
import io.mongolock.interceptor.InvalidLockMethodException;

/**
 * Finds the method that answers the caller if another holder has the lock.
 *
 * @param method the most specific method, which runs under the lock
 * @param userClass the class of the bean, or of a JDK proxy that stands for one
 */
record FallbackMethods(Method method, Class<?> userClass) {

	/**
	 * Find the fallback.
	 * @param name the declared name
	 * @return a method of any visibility that can be called on the bean
	 * @throws InvalidLockMethodException if there is no such method, if there are
	 * several, or if it cannot replace the locked method
	 */
	Method find(String name) {
		List<Method> named = candidates().filter((one) -> one.getName().equals(name)).toList();
		List<Method> fitting = named.stream().filter(this::takesTheArguments).toList();
		if (fitting.size() > 1) {
			throw invalid(name, "Several methods of that name take the locked method's arguments: " + describe(fitting),
					"Keep this name for one of these methods, and rename the others.");
		}
		if (fitting.isEmpty()) {
			throw noneFits(name, named);
		}
		check(name, fitting.get(0));
		return fitting.get(0);
	}

	private Stream<Method> candidates() {
		// A JDK proxy, for example of a repository, has the methods of its interfaces
		Stream<Method> all = (Proxy.isProxyClass(this.userClass))
				? Arrays.stream(this.userClass.getInterfaces()).flatMap((type) -> Arrays.stream(type.getMethods()))
				: Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.userClass));
		return all.filter((one) -> !one.isSynthetic() && !Modifier.isAbstract(one.getModifiers())
				&& (isStatic(one) || !isStatic(this.method)) && one.getDeclaringClass() != Object.class
				&& !one.equals(this.method));
	}

	private static boolean isStatic(Method method) {
		return Modifier.isStatic(method.getModifiers());
	}

	private boolean takesTheArguments(Method candidate) {
		int count = this.method.getParameterCount();
		Class<?>[] types = candidate.getParameterTypes();
		return (types.length == count || (types.length == count + 1 && isForTheException(types[count])))
				&& IntStream.range(0, count).allMatch((index) -> {
					ResolvableType declared = ResolvableType.forMethodParameter(this.method, index, this.userClass);
					ResolvableType taken = ResolvableType.forMethodParameter(candidate, index, this.userClass);
					return taken.toClass() == declared.toClass() && fits(taken, declared);
				});
	}

	private static boolean isForTheException(Class<?> type) {
		return Throwable.class.isAssignableFrom(type) && type.isAssignableFrom(LockUnavailableException.class);
	}

	private void check(String name, Method fallback) {
		ResolvableType wanted = ResolvableType.forMethodReturnType(this.method, this.userClass);
		ResolvableType given = ResolvableType.forMethodReturnType(fallback, this.userClass);
		if (!fits(wanted, given)) {
			throw invalid(name, "The fallback returns " + given + ", but the locked method returns " + wanted,
					"Let the fallback return " + wanted + ".");
		}
		for (Class<?> thrown : fallback.getExceptionTypes()) {
			if (ReflectionUtils.declaresException(this.method, thrown)
					|| RuntimeException.class.isAssignableFrom(thrown) || Error.class.isAssignableFrom(thrown)) {
				continue;
			}
			throw invalid(name,
					"The fallback throws " + thrown.getName()
							+ ", but the locked method does not declare this exception",
					"Add this exception to the throws clause of the locked method, or handle the exception in the "
							+ "fallback.");
		}
		if (!new LockDeclarations(fallback, this.userClass).find().isEmpty()) {
			throw invalid(name, "The fallback has its own lock, but a fallback runs without a lock",
					"Move the work to a method of another bean, and let the fallback call that method. If the lock "
							+ "is on the class, you can make the fallback private instead.");
		}
	}

	// Unresolvable generics are accepted, because the user's compiler could not check
	// them, either
	private static boolean fits(ResolvableType to, ResolvableType from) {
		return ClassUtils.isAssignable(to.toClass(), from.toClass()) && (!to.hasGenerics()
				|| to.hasUnresolvableGenerics() || from.hasUnresolvableGenerics() || to.isAssignableFrom(from));
	}

	private InvalidLockMethodException noneFits(String name, List<Method> named) {
		String kind = (isStatic(this.method)) ? "static method" : "method";
		String action = "Declare the " + kind + " " + name + parameters(this.method)
				+ " in the bean's class or a superclass. You may add a last parameter of the type "
				+ "LockUnavailableException.";
		if (named.isEmpty() && this.method.getName().equals(name)) {
			return invalid(name, "This name belongs to the locked method itself",
					"Name another method as the fallback. If the lock is on the class, the fallback must not be "
							+ "public, because all public methods run under the lock.");
		}
		if (!named.isEmpty()) {
			return invalid(name, "The methods of that name take other arguments: " + describe(named), action);
		}
		List<Method> others = candidates().filter(this::takesTheArguments).toList();
		return invalid(name,
				"There is no " + kind + " of that name in " + this.userClass.getName() + ((others.isEmpty()) ? ""
						: ". These methods in that class take the locked method's arguments: " + describe(others)),
				action);
	}

	private static String describe(List<Method> methods) {
		return methods.stream()
			.map((one) -> one.getName() + parameters(one))
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static String parameters(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	private InvalidLockMethodException invalid(String name, String problem, String action) {
		return new InvalidLockMethodException(this.method, this.userClass,
				"has the fallback '" + name + "'. " + problem, action);
	}

}
