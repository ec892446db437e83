package io.mongolock.interceptor.check;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of locked methods on the same object, which no proxy sees, in the byte code
 * of a class and its superclasses. The scan does not follow values. It checks only
 * methods that get an object of their own type from no other source: a parameter, a
 * field, a result, a cast or a new object. There a call on that type must be a call on
 * {@code this}. So the scan misses some calls, but is certain of those that it finds. A
 * call by a method with a lock of its own may be intended, and is left out.
 */
final class SelfCallScan {

	private static final Log logger = LogFactory.getLog(SelfCallScan.class);

	private static final String LAMBDA = "lambda$";

	private final Set<String> locked = new HashSet<>();

	private final Set<String> found = new TreeSet<>();

	private SelfCallScan(List<Method> locked) {
		for (Method method : locked) {
			this.locked.add(method.getName() + Type.getMethodDescriptor(method));
		}
	}

	/**
	 * Look at a class.
	 * @param locked the methods of the class that a proxy should lock
	 * @return texts such as {@code Shop.payAll() calls pay(Order)}
	 */
	static Set<String> find(Class<?> type, List<Method> locked) {
		SelfCallScan scan = new SelfCallScan(locked);
		for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
			scan.read(one);
		}
		return scan.found;
	}

	private void read(Class<?> type) {
		String name = Type.getInternalName(type);
		try (InputStream code = type.getResourceAsStream("/" + name + ClassUtils.CLASS_FILE_SUFFIX)) {
			if (code != null) {
				new ClassReader(code).accept(new Methods(type.getName(), name),
						ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("Could not look for calls on the same object in " + type, ex);
		}
	}

	/** The methods of one class. */
	private final class Methods extends ClassVisitor {

		private final String type;

		private final String name;

		private Methods(String type, String name) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
			this.name = name;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String method, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			boolean isLocked = SelfCallScan.this.locked.contains(method + descriptor);
			boolean isBridge = (access & Opcodes.ACC_BRIDGE) != 0;
			return (isLocked || isBridge) ? null
					: new Calls(this.type + "." + caller(method) + "()", this.name, descriptor);
		}

		// The compiler names the body of a lambda after the enclosing method
		private static String caller(String method) {
			return (method.startsWith(LAMBDA))
					? method.substring(LAMBDA.length(), Math.max(LAMBDA.length(), method.lastIndexOf('$'))) : method;
		}

	}

	/** The calls of one method. */
	private final class Calls extends MethodVisitor {

		private final Set<String> calls = new TreeSet<>();

		private final String caller;

		private final String type;

		private final String descriptor;

		private boolean hasOthers;

		private Calls(String caller, String type, String descriptor) {
			super(SpringAsmInfo.ASM_VERSION);
			this.caller = caller;
			this.type = type;
			this.descriptor = "L" + type + ";";
			for (Type argument : Type.getArgumentTypes(descriptor)) {
				this.hasOthers |= isOwn(argument.getDescriptor());
			}
		}

		private boolean isOwn(String other) {
			return other.endsWith(this.descriptor);
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String field) {
			this.hasOthers |= isOwn(field);
		}

		@Override
		public void visitTypeInsn(int opcode, String made) {
			this.hasOthers |= opcode != Opcodes.INSTANCEOF && (made.equals(this.type) || isOwn(made));
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String method, boolean isInterface) {
			this.hasOthers |= isOwn(Type.getReturnType(method).getDescriptor());
			if (opcode == Opcodes.INVOKEVIRTUAL && owner.equals(this.type)) {
				called(name, method);
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String made, Handle bootstrap, Object... arguments) {
			boolean hasReceiver = Type.getArgumentTypes(made).length > 0
					&& Type.getArgumentTypes(made)[0].getDescriptor().equals(this.descriptor);
			for (Object argument : arguments) {
				if (hasReceiver && argument instanceof Handle handle && handle.getTag() == Opcodes.H_INVOKEVIRTUAL
						&& handle.getOwner().equals(this.type)) {
					called(handle.getName(), handle.getDesc());
				}
			}
		}

		private void called(String name, String method) {
			if (SelfCallScan.this.locked.contains(name + method)) {
				this.calls.add(this.caller + " calls " + name
						+ Stream.of(Type.getArgumentTypes(method))
							.map((one) -> ClassUtils.getShortName(one.getClassName()))
							.collect(Collectors.joining(", ", "(", ")")));
			}
		}

		@Override
		public void visitEnd() {
			if (!this.hasOthers) {
				SelfCallScan.this.found.addAll(this.calls);
			}
		}

	}

}
