package io.mongolock.faults.mutants;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;

/**
 * The methods of a source file, those of nested types included. A constructor is named
 * {@code <init>}.
 */
final class MethodsOf extends TreeScanner<Void, Void> {

	private final CompilationUnitTree unit;

	private final SourcePositions positions;

	private final List<MethodTree> methods = new ArrayList<>();

	private MethodsOf(JavacTask task) throws IOException {
		this.unit = task.parse().iterator().next();
		this.positions = Trees.instance(task).getSourcePositions();
		scan(this.unit, null);
	}

	static MethodsOf source(String text) throws IOException {
		SimpleJavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Source.java"),
				SimpleJavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return text;
			}

		};
		return new MethodsOf((JavacTask) ToolProvider.getSystemJavaCompiler()
			.getTask(null, null, null, List.of("-proc:none"), null, List.of(file)));
	}

	/**
	 * Where the methods of a name begin and end.
	 */
	List<int[]> named(String name) {
		return this.methods.stream()
			.filter((method) -> method.getName().contentEquals(name))
			.map((method) -> new int[] { (int) this.positions.getStartPosition(this.unit, method),
					(int) this.positions.getEndPosition(this.unit, method) })
			.toList();
	}

	@Override
	public Void visitMethod(MethodTree method, Void nothing) {
		this.methods.add(method);
		return super.visitMethod(method, nothing);
	}

}
